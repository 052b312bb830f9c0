/** Streams of Chat Completions, as OpenAI and its lookalikes send them, and the responses they add up to. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAccumulator } from '../../../src/chat/accumulator.ts';
import type { ReportEntry } from '../../../src/chat/report.ts';
import type { Response } from '../../../src/chat/response.ts';
import type { ResponseDelta } from '../../../src/chat/response-delta.ts';
import { endOfStream } from '../../../src/models/openai-chat/end-of-stream.ts';
import { initialReadState, readChunk } from '../../../src/models/openai-chat/read-chunk.ts';

interface Reading {
  deltas: ResponseDelta[];
  response: Response;
  report: readonly ReportEntry[];
}

function read(chunks: readonly unknown[]): Reading {
  let state = initialReadState;
  const deltas: ResponseDelta[] = [];
  for (const chunk of chunks) {
    const step = readChunk(state, chunk);
    state = step.state;
    if (step.delta !== undefined) deltas.push(step.delta);
  }
  const end = endOfStream(state);
  deltas.push(end.delta);
  const accumulator = createAccumulator();
  for (const delta of deltas) accumulator.add(delta);
  return { deltas, response: accumulator.response(), report: end.report };
}

const chunk = (delta: object, finishReason: string | null = null, more: object = {}) => ({
  id: 'c1',
  choices: [{ index: 0, delta, finish_reason: finishReason }],
  ...more,
});
const finish = (reason = 'stop') => chunk({}, reason);
const usageChunk = (usage: unknown) => ({ id: 'c1', choices: [], usage });
const piece = (
  index: number | null,
  id: string | null,
  name: string | null,
  args: string | null,
) => ({
  index,
  id,
  function: { name, arguments: args },
});
const calls = (...pieces: object[]) => chunk({ tool_calls: pieces });

const partsOf = (chunks: readonly unknown[]) => read(chunks).response.output.message?.parts;
const toolCallsOf = (chunks: readonly unknown[]) =>
  (partsOf(chunks) ?? []).flatMap((part) =>
    part.kind === 'tool_call'
      ? [[part.toolCall.id, part.toolCall.name, part.toolCall.arguments]]
      : [],
  );
const error = (kind: string) => expect.objectContaining({ name: 'ModelError', kind });

describe('text', () => {
  it('is joined over its deltas, and empty deltas say nothing', () => {
    const chunks = [
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'Hel' }),
      chunk({ content: null }),
      chunk({ content: 'lo' }),
      finish(),
    ];
    expect(partsOf(chunks)).toEqual([{ kind: 'text', text: 'Hello' }]);
  });

  it('never comes out with half a code point, wherever the stream was cut', () => {
    const cutAnywhere = fc.tuple(fc.string({ minLength: 1, unit: 'binary' }), fc.array(fc.nat()));
    fc.assert(
      fc.property(cutAnywhere, ([text, cuts]) => {
        const at = [...new Set(cuts.map((cut) => cut % text.length))].sort((a, b) => a - b);
        const pieces = [0, ...at].map((from, i) => text.slice(from, at[i] ?? text.length));
        const { deltas, response } = read([
          ...pieces.map((content) => chunk({ content })),
          finish(),
        ]);
        const texts = deltas
          .flatMap((delta) => delta.parts ?? [])
          .map((part) => (part.kind === 'text' ? part.text : ''));
        expect(texts.every((one) => one.isWellFormed())).toBe(true);
        expect(response.output.message?.parts).toEqual([{ kind: 'text', text }]);
      }),
    );
  });

  it('with a lone surrogate is an invalid response', () => {
    expect(() => read([chunk({ content: '\ud83d' }), finish()])).toThrow(error('invalid_response'));
    expect(() => read([chunk({ content: '\ud83d' }), chunk({ content: 'x' }), finish()])).toThrow(
      error('invalid_response'),
    );
  });

  it('after a tool call is a part of its own', () => {
    const chunks = [
      chunk({ content: 'a' }),
      calls(piece(0, 'x', 'f', '{}')),
      chunk({ content: 'b' }),
      finish(),
    ];
    expect(partsOf(chunks)?.map((part) => part.kind)).toEqual(['text', 'tool_call', 'text']);
  });
});

describe('tool calls', () => {
  it('without arguments keep the empty text', () => {
    expect(toolCallsOf([calls(piece(0, 'call_1', 'now', '')), finish('tool_calls')])).toEqual([
      ['call_1', 'now', ''],
    ]);
  });

  it('carry id and name on every delta, though only the first piece has them', () => {
    const { deltas } = read([
      calls(piece(1, 'tu_1', 'jira', '')),
      calls({ index: 1, function: { arguments: '{"k":' } }),
      calls({ index: 1, function: { arguments: '1}' } }),
      finish('tool_calls'),
    ]);
    expect(deltas.flatMap((delta) => delta.parts ?? [])).toEqual(
      ['', '{"k":', '1}'].map((text) => ({
        kind: 'tool_call',
        toolCall: { id: 'tu_1', name: 'jira', arguments: text },
      })),
    );
  });

  it('are kept apart when their pieces interleave', () => {
    const chunks = [
      calls(piece(0, 'a', 'fa', '{"x":'), piece(1, 'b', 'fb', '{"y":')),
      calls(piece(1, null, null, '2}')),
      calls(piece(0, null, 'fa', '1}')),
      finish('tool_calls'),
    ];
    expect(toolCallsOf(chunks)).toEqual([
      ['a', 'fa', '{"x":1}'],
      ['b', 'fb', '{"y":2}'],
    ]);
  });

  it('with another id at a known index are another call', () => {
    const chunks = [
      calls(piece(0, 'a', 'f', '{"b":2}')),
      calls(piece(0, 'b', 'g', '{"c":')),
      calls(piece(0, null, null, '3}')),
      finish('tool_calls'),
    ];
    expect(toolCallsOf(chunks)).toEqual([
      ['a', 'f', '{"b":2}'],
      ['b', 'g', '{"c":3}'],
    ]);
  });

  it('with a repeated id get a suffix, and their own id is kept beside it', () => {
    const parts = partsOf([
      calls(piece(0, 'a', 'f', '1')),
      calls(piece(1, 'a', 'f', '2')),
      calls(piece(2, 'a_2', 'f', '3')),
      calls(piece(1, null, null, '2')),
      finish('tool_calls'),
    ]);
    expect(parts).toEqual([
      { kind: 'tool_call', toolCall: { id: 'a', name: 'f', arguments: '1' } },
      {
        kind: 'tool_call',
        toolCall: { id: 'a_2', name: 'f', arguments: '22' },
        metadata: { 'openai-chat/call_id': 'a' },
      },
      {
        kind: 'tool_call',
        toolCall: { id: 'a_2_2', name: 'f', arguments: '3' },
        metadata: { 'openai-chat/call_id': 'a_2' },
      },
    ]);
  });

  it('wait until id and name are known, however late', () => {
    const chunks = [
      calls(piece(0, null, 'f', null)),
      calls(piece(0, null, null, '{"a":')),
      calls(piece(0, 'a', null, '1}')),
      finish('tool_calls'),
    ];
    expect(toolCallsOf(chunks)).toEqual([['a', 'f', '{"a":1}']]);
  });

  it('without an index go on with the call of that id, or the newest', () => {
    const chunks = [
      calls(piece(null, 'a', 'f', '1')),
      calls(piece(null, 'b', 'f', '2')),
      calls(piece(null, null, null, '3')),
      calls(piece(null, 'a', null, '4')),
      finish('tool_calls'),
    ];
    expect(toolCallsOf(chunks)).toEqual([
      ['a', 'f', '14'],
      ['b', 'f', '23'],
    ]);
  });

  it.each([
    [
      'an id',
      piece(0, '', 'get_time', '{}'),
      /index 0 \(get_time, 2 bytes of arguments\) has no id/,
    ],
    ['a name', piece(3, 'a', null, '{"a"'), /index 3 \(a, 4 bytes of arguments\) has no name/],
  ])('that never get %s are an invalid response', (_, wire, message) => {
    expect(() => read([calls(wire), finish('tool_calls')])).toThrow(message);
    expect(() => read([calls(wire), finish('tool_calls')])).toThrow(error('invalid_response'));
  });

  it('keep their exact arguments, however they are cut and mixed', () => {
    const one = fc.record({
      text: fc.string({ unit: 'binary' }),
      size: fc.integer({ min: 1, max: 5 }),
    });
    fc.assert(
      fc.property(
        fc.array(one, { minLength: 1, maxLength: 4 }),
        fc.infiniteStream(fc.nat()),
        (wanted, turns) => {
          const queues = wanted.map(({ text, size }, index) => [
            piece(index, `id${index}`, `f${index}`, ''),
            ...Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
              piece(index, null, null, text.slice(at * size, (at + 1) * size)),
            ),
          ]);
          const mixed: object[] = [];
          for (const turn of turns) {
            const open = queues.filter((queue) => queue.length > 0);
            const next = open[turn % open.length]?.shift();
            if (next === undefined) break;
            mixed.push(calls(next));
          }
          const got = new Map(
            toolCallsOf([...mixed, finish('tool_calls')]).map(([id, , args]) => [id, args]),
          );
          expect(got).toEqual(new Map(wanted.map(({ text }, index) => [`id${index}`, text])));
        },
      ),
    );
  });

  it.each([
    ['a custom tool call', { tool_calls: [{ index: 0, id: 'a', custom: { name: 'c' } }] }],
    ['a function_call', { function_call: { name: 'f' } }],
  ])('of a kind that was not asked for (%s) are an invalid response', (_, delta) => {
    expect(() => read([chunk(delta), finish()])).toThrow(error('invalid_response'));
  });
});

describe('the finish reason', () => {
  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['tool_calls', 'tool_calls'],
    ['content_filter', 'content_filter'],
    ['function_call', 'tool_calls'],
    ['eos', 'other'],
  ])('%s becomes %s and stays readable', (native, reason) => {
    const { output } = read([chunk({ content: 'a' }), finish(native)]).response;
    expect(output.finishReason).toBe(reason);
    expect(output.metadata?.extra).toEqual({ 'openai-chat/finish_reason': native });
  });

  it('stays stop when there are tool calls all the same', () => {
    expect(
      read([calls(piece(0, 'a', 'f', '{}')), finish('stop')]).response.output.finishReason,
    ).toBe('stop');
  });

  it('is refusal when the model declined', () => {
    const { output } = read([
      chunk({ refusal: 'I can' }),
      chunk({ refusal: 'not help' }),
      finish(),
    ]).response;
    expect(output).toEqual({
      message: { role: 'assistant', parts: [{ kind: 'refusal', text: 'I cannot help' }] },
      finishReason: 'refusal',
      metadata: { extra: { 'openai-chat/finish_reason': 'stop' } },
    });
  });

  it('may come without any content', () => {
    expect(read([finish()]).response.output.message).toBeUndefined();
  });

  it('that never comes is a cut stream', () => {
    expect(() => read([chunk({ content: 'a' })])).toThrow(error('stream_cut'));
    expect(() => read([])).toThrow(error('stream_cut'));
  });
});

describe('usage', () => {
  it('after the finish reason joins the terminal delta', () => {
    const { deltas } = read([
      chunk({ content: 'hi' }),
      finish(),
      usageChunk({ prompt_tokens: 124, completion_tokens: 178 }),
    ]);
    expect(deltas.at(-1)).toMatchObject({
      finishReason: 'stop',
      metadata: { usage: { inputTokens: 124, outputTokens: 178 } },
    });
  });

  it('on every chunk is a snapshot: the last one counts', () => {
    const more = (n: number) => ({ usage: { prompt_tokens: 5, completion_tokens: n } });
    const { response } = read([
      chunk({ content: 'a' }, null, more(1)),
      chunk({ content: 'b' }, 'stop', more(9)),
    ]);
    expect(response.metadata?.usage).toEqual({ inputTokens: 5, outputTokens: 9 });
  });

  it('keeps absent and zero apart', () => {
    const usageOf = (usage: unknown) =>
      read([finish(), usageChunk(usage)]).response.metadata?.usage;
    expect(usageOf(null)).toBeUndefined();
    expect(
      usageOf({
        prompt_tokens: 0,
        completion_tokens: 0,
        prompt_tokens_details: { cached_tokens: 0 },
        completion_tokens_details: null,
      }),
    ).toEqual({ inputTokens: 0, outputTokens: 0, cacheReadInputTokens: 0 });
  });

  it('has all three breakdowns, and stays readable as it came', () => {
    const usage = {
      prompt_tokens: 10,
      completion_tokens: 9,
      total_tokens: 19,
      prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 3 },
      completion_tokens_details: { reasoning_tokens: 7 },
    };
    expect(read([finish(), usageChunk(usage)]).response.metadata).toEqual({
      id: 'c1',
      usage: {
        inputTokens: 10,
        outputTokens: 9,
        reasoningTokens: 7,
        cacheReadInputTokens: 4,
        cacheWriteInputTokens: 3,
      },
      extra: { 'openai-chat/usage': usage },
    });
  });

  it('loses a breakdown that cannot be true, reports it, and keeps the answer', () => {
    const usage = {
      prompt_tokens: 1,
      completion_tokens: 2,
      prompt_tokens_details: { cached_tokens: 5, cache_write_tokens: -1 },
      completion_tokens_details: { reasoning_tokens: 3 },
    };
    const { response, report } = read([chunk({ content: 'a' }), finish(), usageChunk(usage)]);
    expect(response.metadata?.usage).toEqual({ inputTokens: 1, outputTokens: 2 });
    expect(response.metadata?.extra).toEqual({ 'openai-chat/usage': usage });
    expect(report.map((entry) => [entry.severity, entry.path])).toEqual([
      ['omitted', 'metadata.usage.reasoningTokens'],
      ['omitted', 'metadata.usage.cacheReadInputTokens'],
      ['omitted', 'metadata.usage.cacheWriteInputTokens'],
    ]);
  });

  it.each([
    {},
    { prompt_tokens: 'many', completion_tokens: 1 },
    { prompt_tokens: -1, completion_tokens: 1 },
    { prompt_tokens: 1.5, completion_tokens: 1 },
    { prompt_tokens: 2 ** 53, completion_tokens: 1 },
  ])('without valid counts (%j) is absent and reported', (usage) => {
    const { response, report } = read([finish(), usageChunk(usage)]);
    expect(response.metadata?.usage).toBeUndefined();
    expect(report).toMatchObject([{ severity: 'omitted', path: 'metadata.usage' }]);
  });
});

describe('annotations', () => {
  const url = (address: string, title = 'A') => ({
    type: 'url_citation',
    url_citation: { url: address, title, start_index: 0, end_index: 3 },
  });
  const annotated = (...annotations: object[]) => chunk({ annotations });

  it('become citations of the text before them, and stay readable with their offsets', () => {
    const { output } = read([
      chunk({ content: 'see docs' }),
      annotated(url('https://e.example/a')),
      finish(),
    ]).response;
    expect(output.message?.parts).toEqual([
      {
        kind: 'text',
        text: 'see docs',
        citations: [{ source: { kind: 'uri', value: 'https://e.example/a' }, title: 'A' }],
      },
    ]);
    expect(output.metadata?.extra?.['openai-chat/annotations']).toEqual([
      url('https://e.example/a'),
    ]);
  });

  it('that come before any text wait for it', () => {
    expect(
      partsOf([annotated(url('https://e.example/a', '')), chunk({ content: 'x' }), finish()]),
    ).toEqual([
      {
        kind: 'text',
        text: 'x',
        citations: [{ source: { kind: 'uri', value: 'https://e.example/a' } }],
      },
    ]);
  });

  it('that never find a text are reported and stay readable', () => {
    const { response, report } = read([
      calls(piece(0, 'a', 'f', '')),
      annotated(url('https://e.example/a')),
      finish(),
    ]);
    expect(report).toMatchObject([{ severity: 'omitted', path: 'citations[0]' }]);
    expect(response.output.metadata?.extra?.['openai-chat/annotations']).toHaveLength(1);
  });

  it('without a web address become references', () => {
    const file = { type: 'file_citation', file_citation: { file_id: 'file-1' } };
    expect(
      partsOf([
        chunk({ content: 'x' }),
        annotated(url('notes on paper'), file, { type: 'odd' }),
        finish(),
      ]),
    ).toEqual([
      {
        kind: 'text',
        text: 'x',
        citations: [
          { source: { kind: 'reference', value: 'notes on paper' }, title: 'A' },
          { source: { kind: 'reference', value: 'file-1' } },
        ],
      },
    ]);
  });
});

describe('metadata', () => {
  it('of the response is passed on once', () => {
    const more = {
      model: 'gpt-x',
      created: 1_790_000_000,
      service_tier: 'default',
      system_fingerprint: 'fp_1',
    };
    const { deltas, response } = read([
      chunk({ content: 'a' }, null, more),
      chunk({ content: 'b' }, null, more),
      chunk({}, 'stop', more),
    ]);
    expect(deltas.filter((delta) => delta.metadata !== undefined)).toHaveLength(1);
    expect(response.metadata).toEqual({
      id: 'c1',
      model: 'gpt-x',
      createdAt: '2026-09-21T14:13:20.000Z',
      extra: { 'openai-chat/service_tier': 'default', 'openai-chat/system_fingerprint': 'fp_1' },
    });
  });

  it('that is empty does not count', () => {
    const empty = {
      id: '',
      object: '',
      created: 0,
      model: '',
      choices: [],
      prompt_filter_results: [],
    };
    expect(read([empty, chunk({ content: 'hi' }), finish()]).response.metadata).toEqual({
      id: 'c1',
    });
  });
});

describe('chunks', () => {
  it('may have members nobody knows', () => {
    expect(
      partsOf([
        { ...chunk({ content: 'a', reasoning_content: 'hm' }), obfuscation: 'x', extra: {} },
        finish(),
      ]),
    ).toEqual([{ kind: 'text', text: 'a' }]);
  });

  it.each([
    null,
    7,
    'text',
    [],
    { choices: 'none' },
    chunk({ content: 7 }),
    chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: { a: 1 } } }] }),
    { choices: [{ index: 1, delta: { content: 'second' } }] },
  ])('of another shape (%j) are an invalid response', (wire) => {
    expect(() => readChunk(initialReadState, wire)).toThrow(error('invalid_response'));
  });

  it('do not change the state they are read with', () => {
    const before = readChunk(initialReadState, calls(piece(0, 'a', 'f', '1'))).state;
    const copy = structuredClone(before);
    readChunk(
      before,
      chunk(
        { content: 'x', tool_calls: [piece(0, null, null, '2'), piece(1, 'a', 'f', '')] },
        'stop',
      ),
    );
    expect(before).toEqual(copy);
  });
});
