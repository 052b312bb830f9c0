import { describe, expect, it } from 'vitest';
import { createAccumulator } from '../../src/chat/accumulator.ts';
import {
  citationDelta,
  mediaDelta,
  reasoningDelta,
  refusalDelta,
  textDelta,
  toolCallDelta,
} from '../../src/chat/create-delta.ts';
import type { PartDelta } from '../../src/chat/part-delta.ts';
import type { Response } from '../../src/chat/response.ts';
import type { ResponseDelta } from '../../src/chat/response-delta.ts';
import { lone, refusal } from './support.ts';

const citation = { source: { kind: 'reference' as const, value: 'doc' } };

function accumulated(...deltas: readonly ResponseDelta[]): Response {
  const accumulator = createAccumulator();
  for (const delta of deltas) accumulator.add(delta);
  return accumulator.response();
}

function partsOf(...parts: readonly PartDelta[]) {
  return accumulated(...parts.map((part) => ({ parts: [part] })), { finishReason: 'stop' }).output
    .message?.parts;
}

describe('an accumulator', () => {
  it('joins neighbours of one kind', () => {
    expect(partsOf(textDelta('a'), textDelta('b'), refusalDelta('c'), refusalDelta('d'))).toEqual([
      { kind: 'text', text: 'ab' },
      { kind: 'refusal', text: 'cd' },
    ]);
  });

  it('keeps neighbours apart whose metadata differ, empty and absent being the same', () => {
    const marked = { metadata: { 'x/item': 1 } };
    expect(
      partsOf(
        textDelta('a'),
        textDelta('b', { metadata: {} }),
        textDelta('c', marked),
        textDelta('d', marked),
      ),
    ).toEqual([
      { kind: 'text', text: 'ab' },
      { kind: 'text', text: 'cd', metadata: { 'x/item': 1 } },
    ]);
  });

  it('keeps neighbours apart that name different blocks, and does not keep the block', () => {
    expect(
      partsOf(
        reasoningDelta({ text: 'a' }, { block: 0 }),
        reasoningDelta({ reasoningState: 'AA==' }, { block: 0 }),
        reasoningDelta({ text: 'b' }, { block: 1 }),
        reasoningDelta({ text: 'c' }),
      ),
    ).toEqual([
      { kind: 'reasoning', text: 'a', reasoningState: 'AA==' },
      { kind: 'reasoning', text: 'b' },
      { kind: 'reasoning', text: 'c' },
    ]);
  });

  it('joins the bytes of reasoning state', () => {
    const [part] =
      partsOf(
        reasoningDelta({ reasoningState: Buffer.from('a').toString('base64') }),
        reasoningDelta({ text: '', reasoningState: Buffer.from('bcd').toString('base64') }),
      ) ?? [];
    expect(part).toEqual({
      kind: 'reasoning',
      reasoningState: Buffer.from('abcd').toString('base64'),
    });
  });

  it('routes arguments by call id, in order of first appearance', () => {
    expect(
      partsOf(
        textDelta('x'),
        toolCallDelta({ id: 'a', name: 'f', arguments: '{"a"' }),
        toolCallDelta({ id: 'b', name: 'g' }, { 'x/k': 1, 'x/l': 1 }),
        toolCallDelta({ id: 'a', name: 'f', arguments: ':1}' }),
        toolCallDelta({ id: 'b', name: 'g', arguments: '{}' }, { 'x/k': 2 }),
        textDelta('y'),
      ),
    ).toEqual([
      { kind: 'text', text: 'x' },
      { kind: 'tool_call', toolCall: { id: 'a', name: 'f', arguments: '{"a":1}' } },
      {
        kind: 'tool_call',
        toolCall: { id: 'b', name: 'g', arguments: '{}' },
        metadata: { 'x/k': 2, 'x/l': 1 },
      },
      { kind: 'text', text: 'y' },
    ]);
  });

  it('does not take a call that goes on for the last part', () => {
    const call = toolCallDelta({ id: 'a', name: 'f', arguments: '{' });
    expect(
      partsOf(call, textDelta('x'), call, textDelta('y'), call, citationDelta(citation)),
    ).toEqual([
      { kind: 'tool_call', toolCall: { id: 'a', name: 'f', arguments: '{{{' } },
      { kind: 'text', text: 'xy', citations: [citation] },
    ]);
  });

  it('lets a citation follow its text past a call that goes on, within one delta', () => {
    const call = toolCallDelta({ id: 'a', name: 'f' });
    const delta = { parts: [call, textDelta('x'), call, citationDelta(citation)] };
    expect(accumulated({ ...delta, finishReason: 'stop' }).output.message?.parts[1]).toEqual({
      kind: 'text',
      text: 'x',
      citations: [citation],
    });
  });

  it('never joins media', () => {
    const media = { mime: 'image/png', source: { kind: 'ref' as const, ref: 'r' } };
    expect(partsOf(mediaDelta(media), mediaDelta(media))).toHaveLength(2);
  });

  it('adds citations to the text before them, also within one delta', () => {
    const marked = { metadata: { 'x/item': 1 } };
    const { output } = accumulated(
      { parts: [textDelta('a', marked), citationDelta(citation)] },
      { parts: [citationDelta(citation)], finishReason: 'stop' },
    );
    expect(output.message?.parts).toEqual([
      { kind: 'text', text: 'a', citations: [citation, citation], ...marked },
    ]);
  });

  it('refuses a citation without a text before it', () => {
    const accumulator = createAccumulator();
    expect(refusal(() => accumulator.add({ parts: [citationDelta(citation)] })).code).toBe(
      'invalid_response',
    );
    accumulator.add({ parts: [textDelta('a'), reasoningDelta({ text: 'b' })] });
    expect(refusal(() => accumulator.add({ parts: [citationDelta(citation)] })).path).toBe(
      'parts[0]',
    );
  });

  it('refuses another name for a known call, also within one delta', () => {
    const accumulator = createAccumulator();
    const f = toolCallDelta({ id: 'a', name: 'f' });
    const g = toolCallDelta({ id: 'a', name: 'g' });
    expect(refusal(() => accumulator.add({ parts: [f, g] })).path).toBe('parts[1].toolCall.name');
    accumulator.add({ parts: [f] });
    expect(refusal(() => accumulator.add({ parts: [g] })).codes).toEqual([
      'invalid_response',
      'invalid_tool_call',
    ]);
  });

  it('is closed by a finish reason, even for notes', () => {
    const accumulator = createAccumulator();
    accumulator.add({ parts: [textDelta('a')], finishReason: 'stop' });
    expect(refusal(() => accumulator.add({ metadata: {} })).message).toContain('after the finish');
    expect(accumulator.finishReason()).toBe('stop');
  });

  it('applies nothing of a delta it refuses in part', () => {
    const accumulator = createAccumulator();
    accumulator.add({ parts: [textDelta('a')] });
    refusal(() =>
      accumulator.add({ parts: [textDelta('b'), textDelta(lone)], finishReason: 'stop' }),
    );
    expect(accumulator.text()).toBe('a');
    accumulator.add({ parts: [textDelta('c')], finishReason: 'stop' });
    expect(accumulator.text()).toBe('ac');
  });

  it('keeps the newest notes: usage whole, extra by key, empty names not at all', () => {
    const { output, metadata: notes } = accumulated(
      {
        metadata: {
          id: 'r1',
          model: 'm1',
          usage: { inputTokens: 9, outputTokens: 1, reasoningTokens: 1 },
          extra: { 'x/a': { deep: 1 }, 'x/b': 1 },
        },
        messageMetadata: { 'x/m': 1, 'x/n': 1 },
        outputMetadata: { extra: { 'x/o': 1 } },
      },
      {
        metadata: {
          id: '',
          model: 'm2',
          createdAt: '2026-01-01T00:00:00Z',
          usage: { inputTokens: 9, outputTokens: 4 },
          extra: { 'x/a': { other: 2 } },
        },
        messageMetadata: { 'x/m': 2 },
        outputMetadata: {},
        parts: [textDelta('a')],
        finishReason: 'stop',
      },
    );
    expect(notes).toEqual({
      id: 'r1',
      model: 'm2',
      createdAt: '2026-01-01T00:00:00Z',
      usage: { inputTokens: 9, outputTokens: 4 },
      extra: { 'x/a': { other: 2 }, 'x/b': 1 },
    });
    expect(output.message?.metadata).toEqual({ 'x/m': 2, 'x/n': 1 });
    expect(output.metadata).toEqual({ extra: { 'x/o': 1 } });
  });

  it('has no response before the finish reason', () => {
    const accumulator = createAccumulator();
    expect(refusal(() => accumulator.response()).code).toBe('invalid_response');
    accumulator.add({ parts: [textDelta('half')] });
    expect(refusal(() => accumulator.response()).message).toContain('has not ended');
    expect(accumulator.message()).toEqual({
      role: 'assistant',
      parts: [{ kind: 'text', text: 'half' }],
    });
  });

  it('has a response without a message where nothing was said', () => {
    expect(accumulated({ finishReason: 'stop', messageMetadata: {} })).toEqual({
      output: { finishReason: 'stop' },
    });
    expect(
      refusal(() => accumulated({ finishReason: 'stop', messageMetadata: { 'x/m': 1 } })).path,
    ).toBe('output.message.parts');
  });

  it('gives independent copies, and keeps none of what it was given', () => {
    const accumulator = createAccumulator();
    const extra = { 'x/a': { deep: [1] } };
    const delta = { parts: [textDelta('a', { metadata: extra })], metadata: { extra } };
    accumulator.add(delta);
    extra['x/a'].deep.push(2);
    accumulator.add({ finishReason: 'stop' });
    const first = accumulator.response();
    first.output.message?.parts.pop();
    expect(accumulator.response()).toEqual({
      output: {
        message: {
          role: 'assistant',
          parts: [{ kind: 'text', text: 'a', metadata: { 'x/a': { deep: [1] } } }],
        },
        finishReason: 'stop',
      },
      metadata: { extra: { 'x/a': { deep: [1] } } },
    });
  });
});
