/** Messages, parts, tool calls and tool results. */
import { describe, expect, it } from 'vitest';
import {
  assistantMessage,
  systemMessage,
  toolMessage,
  userMessage,
} from '../../src/chat/create-message.ts';
import {
  imagePart,
  mediaPart,
  reasoningPart,
  refusalPart,
  textPart,
  toolCallPart,
  toolResultPart,
} from '../../src/chat/create-part.ts';
import { jsonOutput, textOutput } from '../../src/chat/create-tool-output.ts';
import { Message } from '../../src/chat/message.ts';
import { Part } from '../../src/chat/part.ts';
import { textOf, toolOutputText } from '../../src/chat/text-of.ts';
import { toMessage } from '../../src/chat/to-message.ts';
import { ToolOutput } from '../../src/chat/tool-output.ts';
import { ToolResult } from '../../src/chat/tool-result.ts';
import { TranscriptMessage } from '../../src/chat/transcript-message.ts';
import { validate } from '../../src/chat/validate.ts';
import { accepts, hello, refusal, refused } from './support.ts';

const call = toolCallPart({ id: 'a', name: 'f' });
const result = toolResultPart({ id: 'a', name: 'f', output: {} });
const media = mediaPart({ mime: 'image/png', source: { kind: 'ref', ref: 'file_1' } });
const parts = {
  text: textPart('x'),
  media,
  reasoning: reasoningPart('x'),
  tool_call: call,
  tool_result: result,
  refusal: refusalPart('no'),
};

describe('a message', () => {
  it.each(['developer', '', 'User', 'function', undefined])('refuses the role %j', (role) => {
    expect(refused(Message, { ...hello, role })).toEqual({
      path: 'role',
      codes: 'invalid_message',
    });
  });

  it('has at least one part', () => {
    expect(refused(Message, { role: 'user', parts: [] })).toEqual({
      path: 'parts',
      codes: 'invalid_message',
    });
  });

  it.each([
    ['system', 'text'],
    ['user', 'text media'],
    ['assistant', 'text media reasoning tool_call refusal'],
    ['tool', 'tool_result'],
  ])('of the role %s holds parts of the kinds %s only', (role, kinds) => {
    const accepted = Object.entries(parts)
      .filter(([, part]) => accepts(Message, { role, parts: [part] }))
      .map(([kind]) => kind);
    expect(accepted.join(' ')).toBe(kinds);
  });

  it('names the part that its role cannot hold', () => {
    const message = { role: 'user', parts: [textPart('x'), refusalPart('no')] };
    expect(refusal(() => validate(Message, message))).toMatchObject({
      path: 'parts[1]',
      codes: ['invalid_message', 'invalid_part'],
      message: 'parts[1]: a user message cannot hold a refusal part',
    });
  });

  it('may have many texts, reasonings and text after calls', () => {
    const order = [
      parts.text,
      parts.text,
      parts.reasoning,
      parts.reasoning,
      call,
      parts.text,
      call,
    ];
    expect(accepts(Message, { role: 'assistant', parts: order })).toBe(true);
  });
});

describe('a part', () => {
  it.each([
    ['text', { text: 'x', media: media.media }],
    ['text', { text: 'x', reasoningState: 'AAAA' }],
    ['text', { text: '' }],
    ['text', {}],
    ['media', { media: media.media, text: 'x' }],
    ['media', { media: media.media, citations: [] }],
    ['media', {}],
    ['reasoning', {}],
    ['reasoning', { text: '' }],
    ['reasoning', { text: 'x', citations: [] }],
    ['reasoning', { reasoningState: '' }],
    ['reasoning', { reasoningState: 'no base64' }],
    ['tool_call', { toolCall: call.toolCall, text: 'x' }],
    ['tool_call', { toolCall: call.toolCall, citations: [] }],
    ['tool_result', { toolResult: result.toolResult, text: 'x' }],
    ['tool_result', { toolResult: result.toolResult, citations: [] }],
    ['refusal', { text: 'no', citations: [] }],
    ['refusal', { text: '' }],
    ['citation', { text: 'x' }],
    [undefined, { text: 'x' }],
  ])('of kind %s refuses %j', (kind, members) => {
    expect(accepts(Part, { kind, ...members })).toBe(false);
  });

  it.each([
    { kind: 'text', text: ' \n' },
    { kind: 'reasoning', text: 'x' },
    { kind: 'reasoning', reasoningState: 'AAAA' },
    { kind: 'reasoning', text: '', reasoningState: 'AAAA' },
    { kind: 'reasoning', text: 'x', reasoningState: 'AAAA', metadata: {} },
    { kind: 'text', text: 'x', citations: [] },
  ])('may be %j', (part) => {
    expect(accepts(Part, part)).toBe(true);
  });
});

describe('tool calls and results', () => {
  it.each([undefined, '', '{', '[]', '"x"', 'null'])(
    'take the arguments %j as the model wrote them',
    (text) => {
      const part = toolCallPart({ id: 'any id:0|', name: 'any name', arguments: text });
      expect(validate(Part, part)).toEqual(part);
    },
  );

  it('need an id and a name', () => {
    expect(accepts(Part, toolCallPart({ id: '', name: 'f' }))).toBe(false);
    expect(accepts(Part, toolCallPart({ id: 'a', name: '' }))).toBe(false);
    expect(refused(ToolResult, { id: 'a', name: '', output: {} }).path).toBe('name');
  });

  it('may have an empty output, and details of any JSON type', () => {
    for (const output of [{}, { details: null }, { details: 0 }, { details: [1, 'x'] }]) {
      expect(validate(ToolOutput, output)).toEqual(output);
    }
  });

  it.each([new Date(0), Number.NaN, 2 ** 53, () => 1, new Map(), 1n, Symbol('x')])(
    'refuse details that are not JSON data',
    (details) => {
      expect(refused(ToolOutput, { details })).toEqual({
        path: 'details',
        codes: 'invalid_tool_output',
      });
    },
  );

  it('keep no sign of zero, which JSON text would lose', () => {
    expect(Object.is(validate(ToolOutput, { details: -0 }).details, 0)).toBe(true);
  });

  it('refuse cyclic details', () => {
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    expect(accepts(ToolOutput, { details: cycle })).toBe(false);
  });

  it('name output and result in what they refuse', () => {
    const bad = { ...result.toolResult, output: { content: [{ kind: 'text', text: '' }] } };
    expect(
      refused(Message, { role: 'tool', parts: [{ kind: 'tool_result', toolResult: bad }] }),
    ).toEqual({
      path: 'parts[0].toolResult.output.content[0].text',
      codes: 'invalid_message invalid_part invalid_tool_result invalid_tool_output',
    });
  });
});

describe('the text of something said', () => {
  it('joins text parts only', () => {
    const message = assistantMessage([
      textPart('a'),
      reasoningPart('x'),
      refusalPart('y'),
      textPart('b'),
    ]);
    expect(textOf(message)).toBe('ab');
    expect(textOf({ message, finishReason: 'stop' })).toBe('ab');
    expect(textOf({ output: { message, finishReason: 'stop' } })).toBe('ab');
    expect(textOf({ parts: [{ kind: 'text', text: 'c' }] })).toBe('c');
    expect(textOf({ content: [textPart('d'), media, textPart('e')], details: 1 })).toBe('de');
    expect(textOf({ details: 1 })).toBe('');
  });

  it('is empty where nothing was said', () => {
    expect(textOf({ finishReason: 'stop' })).toBe('');
    expect(textOf({ output: { finishReason: 'stop' } })).toBe('');
    expect(textOf({ metadata: {} })).toBe('');
  });

  it('of a tool output is its texts, else its details, and nothing where media is', () => {
    expect(toolOutputText({})).toBe('');
    expect(toolOutputText({ content: [], details: { a: 1 } })).toBe('{"a":1}');
    expect(toolOutputText({ details: null })).toBe('null');
    expect(toolOutputText({ content: [textPart('a'), textPart('b')], details: 1 })).toBe('ab');
    expect(toolOutputText({ content: [textPart('a'), media] })).toBeUndefined();
  });
});

describe('constructors', () => {
  it('build valid messages of each role', () => {
    const messages = [
      systemMessage('be kind'),
      userMessage('hi'),
      userMessage([textPart('look'), imagePart('image/png', 'AAAA')]),
      assistantMessage('hello'),
      toolMessage({ id: 'a', name: 'f', output: jsonOutput({ a: [1] }) }),
      toolMessage({ id: 'a', name: 'f', output: textOutput(''), isError: true }),
    ];
    expect(messages.filter((message) => !accepts(Message, message))).toEqual([]);
  });

  it('make no image of a type that providers refuse, nor of a data URL', () => {
    expect(refusal(() => imagePart('image/svg+xml', 'AAAA')).code).toBe('invalid_part');
    expect(refusal(() => imagePart('image/png', 'data:image/png;base64,AAAA')).message).toContain(
      'without a data: prefix',
    );
  });
});

describe('a transcript message', () => {
  const stored = {
    ...userMessage('hi'),
    id: 'm1',
    createdAt: '2026-11-02T10:00:00.5Z',
    partial: true,
  };

  it('has an identity and a time', () => {
    expect(validate(TranscriptMessage, stored)).toEqual(stored);
    expect(refused(TranscriptMessage, { ...stored, id: '' }).path).toBe('id');
    expect(accepts(Message, stored)).toBe(false);
  });

  it.each([
    '2026-11-02',
    '2026-11-02T10:00Z',
    '2026-02-29T10:00:00Z',
    '2026-11-02T10:00:00',
    '2026-11-02T24:00:00Z',
    '2026-13-01T10:00:00Z',
    '2026-11-02T10:00:00+24:00',
    '2026-11-02 10:00:00Z',
  ])('refuses %s as its time', (createdAt) => {
    expect(refused(TranscriptMessage, { ...stored, createdAt }).path).toBe('createdAt');
  });

  it.each([
    '0000-01-01T00:00:00Z',
    '2024-02-29T23:59:59.123456789+23:59',
    '2026-11-02T10:00:00-05:30',
  ])('accepts %s as its time', (createdAt) => {
    expect(accepts(TranscriptMessage, { ...stored, createdAt })).toBe(true);
  });

  it('becomes the same message every time, without its own members', () => {
    expect(toMessage(stored)).toEqual(userMessage('hi'));
    expect(toMessage(stored)).toBe(toMessage(stored));
  });

  it('is held to the kinds of its role as well', () => {
    expect(refused(TranscriptMessage, { ...stored, role: 'system', parts: [media] }).path).toBe(
      'parts[0]',
    );
  });
});
