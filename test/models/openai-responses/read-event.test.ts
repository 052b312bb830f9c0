/** Streams of the Responses API, as OpenAI and its lookalikes send them, and the responses they add up to. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FinishReason } from '../../../src/chat/finish-reason.ts';
import type { ModelErrorKind } from '../../../src/chat/model-error.ts';
import {
  added,
  call,
  completed,
  done,
  message,
  partsOf,
  read,
  reasoning,
  saidIn,
  textEvent,
} from './wire-events.ts';

const error = (kind: ModelErrorKind) => expect.objectContaining({ name: 'ModelError', kind });
const text = (delta: string, at = 0, content_index = 0) =>
  textEvent('output_text.delta', at, { content_index, item_id: 'm1', delta });
const args = (delta: string, at = 0) =>
  textEvent('function_call_arguments.delta', at, { item_id: 'fc_1', delta });
const finishOf = (events: readonly unknown[]) => read(events).response.output.finishReason;

/** Cuts a text anywhere, also between the halves of a code point. */
function cut(whole: string, cuts: readonly number[]): string[] {
  const at = [...new Set(cuts.map((one) => one % whole.length))].sort((a, b) => a - b);
  return [0, ...at].map((from, i) => whole.slice(from, at[i] ?? whole.length));
}

describe('text', () => {
  it('is joined over its deltas and named by its item', () => {
    const events = [added(0, message('m1', '')), text('Hel'), text('lo'), completed()];
    expect(partsOf(events)).toEqual([
      {
        kind: 'text',
        text: 'Hello',
        metadata: { 'openai/item_id': 'm1', 'openai/output_index': 0 },
      },
    ]);
  });

  it('of two items stays apart, as do two texts of one item', () => {
    const events = [
      added(0, message('m1', '')),
      text('a', 0, 0),
      text('b', 0, 1),
      done(0, {
        ...message('m1', 'a'),
        content: ['a', 'b'].map((piece) => ({ type: 'output_text', text: piece })),
      }),
      added(1, message('m2', '')),
      text('c', 1),
      completed(),
    ];
    expect(saidIn(events)).toMatchObject([{ text: 'a' }, { text: 'b' }, { text: 'c' }]);
  });

  it('keeps the phase of its message', () => {
    const events = [
      added(0, message('m1', '', { phase: 'commentary' })),
      text('Looking.'),
      added(1, message('m2', '', { phase: 'final_answer' })),
      text('Found.', 1),
      completed(),
    ];
    expect(partsOf(events).map((part) => part.metadata?.['openai/phase'])).toEqual([
      'commentary',
      'final_answer',
    ]);
  });

  it('is the same however it was cut, and never comes out with half a code point', () => {
    const answer = fc.record({
      said: fc.string({ minLength: 1, unit: 'binary' }),
      thought: fc.string({ minLength: 1, unit: 'binary' }),
      given: fc.string({ minLength: 1, unit: 'binary' }),
      cuts: fc.array(fc.nat()),
      isEnded: fc.boolean(),
    });
    fc.assert(
      fc.property(answer, ({ said, thought, given, cuts, isEnded }) => {
        const items = [reasoning('rs', thought, 'E'), message('m1', said), call('fc', 'c1', given)];
        const pieces = [
          cut(thought, cuts).map((delta) =>
            textEvent('reasoning_summary_text.delta', 0, { summary_index: 0, delta }),
          ),
          cut(said, cuts).map((delta) => text(delta, 1)),
          cut(given, cuts).map((delta) => args(delta, 2)),
        ];
        const begun = [reasoning('rs', '', null), message('m1', ''), call('fc', 'c1', '')];
        const streamed = items.flatMap((item, at) => [
          added(at, begun[at] ?? {}),
          ...(pieces[at] ?? []),
          // Only the end of a reasoning item has its state.
          ...(isEnded || at === 0 ? [done(at, item)] : []),
        ]);
        const whole = completed({ output: items });
        const { deltas, response } = read([...streamed, whole]);
        for (const part of deltas.flatMap((delta) => delta.parts ?? [])) {
          expect(JSON.stringify(part).isWellFormed()).toBe(true);
        }
        expect(response).toEqual(read([whole]).response);
        expect(response.output.message?.parts).toMatchObject([
          { text: thought },
          { text: said },
          { toolCall: { arguments: given } },
        ]);
      }),
    );
  });

  it('that came in part is completed by its end', () => {
    const start = [added(0, message('m1', '')), text('Hel')];
    const whole = [{ kind: 'text', text: 'Hello' }];
    const part = { type: 'output_text', text: 'Hello' };
    for (const end of [
      textEvent('output_text.done', 0, { content_index: 0, text: 'Hello' }),
      textEvent('content_part.done', 0, { content_index: 0, part }),
      done(0, message('m1', 'Hello')),
    ]) {
      expect(saidIn([...start, end, completed()])).toEqual(whole);
    }
    expect(saidIn([...start, completed({ output: [message('m1', 'Hello')] })])).toEqual(whole);
  });

  it('that ended as another text is an invalid response', () => {
    const events = [added(0, message('m1', '')), text('Hello'), done(0, message('m1', 'Help'))];
    expect(() => read([...events, completed()])).toThrow(error('invalid_response'));
  });

  it('with half a code point is an invalid response', () => {
    expect(() => read([text('\ud83d'), completed()])).toThrow(error('invalid_response'));
    expect(() => read([text('\ud83d'), text('x'), completed()])).toThrow(error('invalid_response'));
  });
});

describe('calls', () => {
  const callsOf = (events: readonly unknown[]) =>
    partsOf(events).flatMap((part) =>
      part.kind === 'tool_call'
        ? [[part.toolCall.id, part.toolCall.name, part.toolCall.arguments]]
        : [],
    );

  it('are known by their call id, never by the id of the item', () => {
    const events = [
      added(0, call('fc_1', 'call_1', '')),
      args('{"a":'),
      args('1}'),
      done(0, call('fc_1', 'call_1', '{"a":1}')),
      completed(),
    ];
    expect(callsOf(events)).toEqual([['call_1', 'f', '{"a":1}']]);
    expect(partsOf(events)[0]?.metadata).toEqual({
      'openai/item_id': 'fc_1',
      'openai/output_index': 0,
    });
  });

  it('stay apart when they are streamed at the same time', () => {
    const events = [
      added(0, call('fc_1', 'a', '')),
      added(1, call('fc_2', 'b', '')),
      args('{"x":', 0),
      args('{"y":', 1),
      args('2}', 1),
      args('1}', 0),
      completed(),
    ];
    expect(callsOf(events)).toEqual([
      ['a', 'f', '{"x":1}'],
      ['b', 'f', '{"y":2}'],
    ]);
  });

  it.each<[string, readonly object[]]>([
    [
      'the end of the arguments',
      [
        added(0, call('fc_1', 'c', '')),
        textEvent('function_call_arguments.done', 0, { arguments: '{"q":1}' }),
      ],
    ],
    [
      'the end of the item',
      [added(0, call('fc_1', 'c', '')), done(0, call('fc_1', 'c', '{"q":1}'))],
    ],
    ['an item that was never announced', [done(0, call('', 'c', '{"q":1}'))]],
    ['pieces before the item', [args('{"q":'), args('1}'), added(0, call('fc_1', 'c', ''))]],
    [
      'the rest after a piece',
      [added(0, call('fc_1', 'c', '')), args('{"q'), done(0, call('fc_1', 'c', '{"q":1}'))],
    ],
  ])('have the arguments that come only with %s', (_, events) => {
    expect(callsOf([...events, completed()])).toEqual([['c', 'f', '{"q":1}']]);
  });

  it('that are streamed under one item id and end under another are one call', () => {
    const events = [
      added(0, call('fc_tmp', 'call_1', '')),
      completed({ output: [call('fc_9', 'call_1', '{}')] }),
    ];
    expect(callsOf(events)).toEqual([['call_1', 'f', '{}']]);
  });

  it('are not repeated by the terminal event', () => {
    const items = [message('m1', 'hi'), call('fc_1', 'a', '{}')];
    const events = [done(3, items[0] ?? {}), done(4, items[1] ?? {}), completed({ output: items })];
    expect(saidIn(events)).toHaveLength(2);
  });

  it.each([
    ['another text', '{"b":2}'],
    ['nothing', ''],
  ])('whose arguments end as %s are an invalid response', (_, end) => {
    const events = [added(0, call('fc_1', 'c', '')), args('{"a":1}')];
    for (const last of [
      textEvent('function_call_arguments.done', 0, { arguments: end }),
      done(0, call('fc_1', 'c', end)),
    ]) {
      expect(() => read([...events, last, completed()])).toThrow(error('invalid_response'));
    }
  });

  it('without a name, or of tools that were not on offer, are an invalid response', () => {
    expect(() => read([args('{}'), completed()])).toThrow(error('invalid_response'));
    const custom = { type: 'custom_tool_call', id: 'ct', call_id: 'c', name: 'f', input: 'x' };
    expect(() => read([added(0, custom), completed()])).toThrow(error('invalid_response'));
  });

  it('with one id are kept apart', () => {
    const events = [done(0, call('fc_1', 'c', '{"a":1}')), done(1, call('fc_2', 'c', '{"a":2}'))];
    expect(callsOf([...events, completed()])).toEqual([
      ['c', 'f', '{"a":1}'],
      ['c_2', 'f', '{"a":2}'],
    ]);
    expect(partsOf([...events, completed()])[1]?.metadata).toMatchObject({ 'openai/call_id': 'c' });
  });

  it('keep what else a resend must know', () => {
    const item = call('fc_1', 'c', '{}', { namespace: 'n', caller: null, status: 'incomplete' });
    expect(partsOf([done(0, item), completed()])[0]?.metadata).toMatchObject({
      'openai/item': { namespace: 'n' },
      'openai/status': 'incomplete',
    });
  });
});

describe('reasoning', () => {
  const states = (events: readonly unknown[]) =>
    partsOf(events).map((part) =>
      part.kind === 'reasoning' && part.reasoningState !== undefined
        ? JSON.parse(Buffer.from(part.reasoningState, 'base64').toString())
        : undefined,
    );

  it('takes its state from the end of the item only', () => {
    const events = [
      added(0, reasoning('rs_1', '', 'PART')),
      done(0, reasoning('rs_1', '', 'PARTFULL')),
      completed(),
    ];
    expect(states(events)).toEqual([
      { type: 'reasoning', id: 'rs_1', encrypted_content: 'PARTFULL' },
    ]);
  });

  it('of two items, and of two texts of one item, stays apart', () => {
    const two = {
      ...reasoning('rs_1', '', 'E1'),
      summary: ['a', 'b'].map((piece) => ({ type: 'summary_text', text: piece })),
      content: [{ type: 'reasoning_text', text: 'c' }],
    };
    const events = [done(0, two), done(1, reasoning('rs_2', 'd', 'E2')), completed()];
    expect(partsOf(events).map((part) => (part.kind === 'reasoning' ? part.text : ''))).toEqual([
      'a',
      'b',
      'c',
      'd',
    ]);
    expect(states(events).map((state) => state?.encrypted_content)).toEqual([
      undefined,
      undefined,
      'E1',
      'E2',
    ]);
  });

  it('without encrypted content or texts of its own has no state', () => {
    expect(states([done(0, reasoning('rs_1', 'a', null)), completed()])).toEqual([undefined]);
    expect(partsOf([done(0, reasoning('rs_1', '', null)), completed()])).toEqual([]);
  });

  it('is streamed from summaries and from its own texts', () => {
    const events = [
      added(0, reasoning('rs_1', '', null)),
      textEvent('reasoning_summary_text.delta', 0, { summary_index: 0, delta: 'brief' }),
      textEvent('reasoning_text.delta', 0, { content_index: 0, delta: 'long' }),
      completed(),
    ];
    expect(saidIn(events)).toEqual([
      { kind: 'reasoning', text: 'brief' },
      { kind: 'reasoning', text: 'long' },
    ]);
  });
});

describe('citations', () => {
  const url = { type: 'url_citation', url: 'https://e.example/a', title: 'A', start_index: 0 };
  const file = { type: 'file_citation', file_id: 'file-1', filename: 'a.pdf', index: 3 };
  const annotate = (annotation: object | null, at = 0) =>
    textEvent('output_text.annotation.added', at, { content_index: 0, annotation });
  const cited = [
    { source: { kind: 'uri', value: 'https://e.example/a' }, title: 'A' },
    { source: { kind: 'reference', value: 'file-1' }, title: 'a.pdf' },
  ];

  it('join the text they belong to, once, and are kept as they came', () => {
    const item = message('m1', 'ab', {
      content: [{ type: 'output_text', text: 'ab', annotations: [url, file] }],
    });
    const events = [
      text('a'),
      annotate(url),
      annotate(null),
      text('b'),
      done(0, item),
      completed(),
    ];
    const { response } = read(events);
    expect(response.output.message).toMatchObject({
      parts: [{ kind: 'text', text: 'ab', citations: cited }],
      metadata: { 'openai/items': { 0: { annotations: { 0: [url, file] } } } },
    });
  });

  it('that come before the text wait for it', () => {
    expect(saidIn([annotate(url), text('a'), completed()])).toMatchObject([
      { text: 'a', citations: [cited[0]] },
    ]);
  });

  it('that come too late are reported and still kept as they came', () => {
    const { response, report } = read([text('a', 0), text('b', 1), annotate(url, 0), completed()]);
    expect(report).toMatchObject([{ severity: 'omitted', path: 'citations[0]' }]);
    expect(response.output.message?.metadata).toMatchObject({
      'openai/items': { 0: { annotations: { 0: [url] } } },
    });
  });
});

describe('the end', () => {
  const incomplete = (reason?: string) => ({
    type: 'response.incomplete',
    response: { status: 'incomplete', incomplete_details: { reason } },
  });
  const refusal = textEvent('refusal.delta', 0, { content_index: 0, delta: 'No.' });

  it.each<[string, readonly object[], FinishReason, string]>([
    ['a text', [text('a'), completed()], 'stop', 'completed'],
    ['nothing', [completed()], 'stop', 'completed'],
    ['a call', [done(0, call('fc', 'c', '{}')), completed()], 'tool_calls', 'completed'],
    ['a refusal', [refusal, completed()], 'refusal', 'completed'],
    ['too many tokens', [incomplete('max_output_tokens')], 'length', 'max_output_tokens'],
    ['a filter', [incomplete('content_filter')], 'content_filter', 'content_filter'],
    ['too many messages', [incomplete('max_messages')], 'other', 'max_messages'],
    ['steering', [incomplete('steered')], 'other', 'steered'],
    ['an unknown reason', [incomplete()], 'other', 'incomplete'],
    [
      'a call that the provider answers itself',
      [completed({ output: [{ type: 'web_search_call', id: 'ws' }, message('m', 'ok')] })],
      'stop',
      'completed',
    ],
  ])('after %s has its reason', (_, events, finishReason, native) => {
    const { output } = read(events).response;
    expect(output.finishReason).toBe(finishReason);
    expect(output.metadata?.extra).toMatchObject({ 'openai/finish_reason': native });
  });

  it.each<[string, object, ModelErrorKind, boolean]>([
    ['failed', { code: 'server_error', message: 'x' }, 'server', true],
    ['failed', { code: 'rate_limit_exceeded', message: 'x' }, 'rate_limited', true],
    ['failed', { code: 'insufficient_quota', message: 'x' }, 'rate_limited', false],
    ['failed', { code: 'context_length_exceeded', message: 'x' }, 'context_too_long', false],
    ['failed', { code: 'invalid_prompt', message: 'x' }, 'bad_request', false],
    ['failed', { code: 'bio_policy', message: 'x' }, 'bad_request', false],
    ['failed', { code: 'image_parse_error', message: 'x' }, 'bad_request', false],
    ['failed', { code: 'vector_store_timeout', message: 'x' }, 'timeout', true],
    ['failed', {}, 'server', true],
    ['cancelled', {}, 'server', true],
  ])('that is %s with %j throws %s', (status, failure, kind, retryable) => {
    const event = { type: `response.${status}`, response: { status, error: failure } };
    expect(() => read([text('a'), event])).toThrow(
      expect.objectContaining({ name: 'ModelError', kind, retryable }),
    );
  });

  it.each([
    { type: 'error', code: 'server_is_overloaded', message: 'x', param: null },
    { type: 'error', error: { type: 'overloaded_error', message: 'x' } },
    { type: 'error', code: 503, message: 'upstream' },
  ])('that is the error event %j throws', (event) => {
    expect(() => read([event])).toThrow(error('overloaded'));
  });

  it('without a terminal event is a cut stream', () => {
    expect(() => read([text('a')])).toThrow(error('stream_cut'));
  });

  it('is the terminal event, whatever follows', () => {
    expect(saidIn([text('a'), completed(), text('b'), { type: 'error' }])).toEqual([
      { kind: 'text', text: 'a' },
    ]);
  });

  it('marks items that broke off, and phases that came late', () => {
    const events = [
      text('a'),
      done(0, message('m1', 'a', { status: 'incomplete', phase: 'commentary' })),
      completed(),
    ];
    expect(read(events).response.output.message?.metadata).toEqual({
      'openai/items': { 0: { status: 'incomplete', phase: 'commentary' } },
    });
  });
});

describe('usage', () => {
  it.each([
    [
      {
        input_tokens: 100,
        output_tokens: 5,
        input_tokens_details: { cached_tokens: 40, cache_write_tokens: 60 },
        output_tokens_details: { reasoning_tokens: 0 },
      },
      {
        inputTokens: 100,
        outputTokens: 5,
        cacheReadInputTokens: 40,
        cacheWriteInputTokens: 60,
        reasoningTokens: 0,
      },
      [],
    ],
    [{ input_tokens: 1, output_tokens: 2 }, { inputTokens: 1, outputTokens: 2 }, []],
    [
      { input_tokens: 1, output_tokens: 2, input_tokens_details: { cached_tokens: 3 } },
      { inputTokens: 1, outputTokens: 2 },
      ['metadata.usage.cacheReadInputTokens'],
    ],
    [{ input_tokens: -1, output_tokens: 2 }, undefined, ['metadata.usage']],
  ])('%j is %j', (usage, expected, paths) => {
    const { response, report } = read([completed({ usage })]);
    expect(response.metadata?.usage).toEqual(expected);
    expect(response.metadata?.extra?.['openai/usage']).toEqual(usage);
    expect(report.map((entry) => entry.path)).toEqual(paths);
  });

  it('that is absent stays absent', () => {
    expect(read([completed({ usage: null })]).response.metadata?.usage).toBeUndefined();
  });
});

describe('events', () => {
  it.each([
    { type: 'keepalive' },
    { type: 'ping', cost: 0.1 },
    { type: 'response.future_thing.delta', delta: { odd: true }, output_index: 'x' },
    { type: 'response.web_search_call.searching', output_index: 0, item_id: 'ws' },
    {},
    null,
    'text',
  ])('like %j say nothing', (event) => {
    expect(saidIn([event, text('a'), event, completed()])).toEqual([{ kind: 'text', text: 'a' }]);
  });

  it('with members of the wrong type are an invalid response', () => {
    for (const event of [
      { type: 'response.output_text.delta', output_index: 0, delta: { odd: true } },
      { type: 'response.output_item.added', output_index: -1, item: message('m', '') },
      { type: 'response.completed' },
      { type: 'response.output_item.done', output_index: 0, item: { type: 'message', content: 1 } },
    ]) {
      expect(() => read([event, completed()])).toThrow(error('invalid_response'));
    }
  });

  it('announce the response once, and again only when it changes', () => {
    const response = { id: 'r1', model: 'm', created_at: 1, status: 'in_progress' };
    const { deltas } = read([
      { type: 'response.created', response },
      { type: 'response.in_progress', response },
      text('a'),
      completed({ model: 'm', created_at: 1, service_tier: 'default' }),
    ]);
    const metadata = { id: 'r1', model: 'm', createdAt: '1970-01-01T00:00:01.000Z' };
    expect(deltas.flatMap((delta) => delta.metadata ?? [])).toEqual([
      metadata,
      { ...metadata, extra: { 'openai/service_tier': 'default' } },
    ]);
  });

  it('without an output index go to the item of their id, else to the newest', () => {
    const events = [
      added(0, message('m1', '')),
      added(1, message('m2', '')),
      { type: 'response.output_text.delta', item_id: 'm1', delta: 'a' },
      { type: 'response.output_text.delta', delta: 'b' },
      completed(),
    ];
    expect(partsOf(events).map((part) => part.metadata?.['openai/item_id'])).toEqual(['m1', 'm2']);
  });

  it('leave earlier states as they were', () => {
    const before = [added(0, call('fc_1', 'c', '')), args('{')];
    expect(finishOf([...before, args('}'), completed()])).toBe('tool_calls');
    expect(saidIn([...before, completed()])).toMatchObject([{ toolCall: { arguments: '{' } }]);
  });
});

describe('items that no part stands for', () => {
  const search = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { q: 'x' } };

  it('are kept with the message', () => {
    const { output } = read([done(0, search), done(1, message('m1', 'ok')), completed()]).response;
    expect(output.message?.metadata).toEqual({ 'openai/items': { 0: { item: search } } });
  });

  it('are kept with the output where there is no message', () => {
    const { output } = read([done(0, search), completed()]).response;
    expect(output.message).toBeUndefined();
    expect(output.metadata?.extra).toMatchObject({ 'openai/items': { 0: { item: search } } });
  });
});
