/** The reader of Messages streams, event by event. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAccumulator } from '../../../src/chat/accumulator.ts';
import { userMessage } from '../../../src/chat/create-message.ts';
import type { FinishReason } from '../../../src/chat/finish-reason.ts';
import type { ReportEntry } from '../../../src/chat/report.ts';
import { createRequest } from '../../../src/chat/request.ts';
import type { Response } from '../../../src/chat/response.ts';
import { endOfStream } from '../../../src/models/anthropic/end-of-stream.ts';
import { writeJson } from '../../../src/models/anthropic/json-source.ts';
import {
  initialReadState,
  isComplete,
  readEvent,
} from '../../../src/models/anthropic/read-event.ts';
import { toRequestBody } from '../../../src/models/anthropic/to-request-body.ts';

type Event = Readonly<Record<string, unknown>>;

/** The response that a stream of events is, and what was told with it. */
function read(events: readonly unknown[]): { response: Response; report: readonly ReportEntry[] } {
  const accumulator = createAccumulator();
  let state = initialReadState;
  for (const event of events) {
    const step = readEvent(state, event);
    state = step.state;
    if (step.delta !== undefined) accumulator.add(step.delta);
  }
  const end = endOfStream(state);
  accumulator.add(end.delta);
  return { response: accumulator.response(), report: end.report };
}

const partsOf = (events: readonly unknown[]) => read(events).response.output.message?.parts;

/** Begins a block, adds pieces, ends it. */
const block = (index: number, start: Event, ...deltas: Event[]): Event[] => [
  { type: 'content_block_start', index, content_block: start },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
];
const text = (index: number, ...pieces: string[]) =>
  block(
    index,
    { type: 'text', text: '', citations: null },
    ...pieces.map((piece) => ({ type: 'text_delta', text: piece })),
  );
const toolUse = (index: number, id: string, ...pieces: string[]) =>
  block(
    index,
    { type: 'tool_use', id, name: 'f', input: {}, caller: { type: 'direct' } },
    ...pieces.map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
  );
const start = (usage: Event = { input_tokens: 5, output_tokens: 1 }): Event => ({
  type: 'message_start',
  message: { id: 'msg_1', model: 'claude-x', content: [], usage },
});
const ending = (stopReason: string, more: Event = {}, usage: Event = { output_tokens: 9 }) => [
  { type: 'message_delta', delta: { stop_reason: stopReason, ...more }, usage },
  { type: 'message_stop' },
];
const whole = (...blocks: Event[][]) => [start(), ...blocks.flat(), ...ending('end_turn')];

const failure = (events: readonly unknown[]): unknown => {
  try {
    read(events);
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('a stop reason', () => {
  it.each<[string, FinishReason]>([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['pause_turn', 'length'],
    ['tool_use', 'tool_calls'],
    ['refusal', 'refusal'],
    ['compaction', 'other'],
    ['something_new', 'other'],
  ])('%s is %s', (native, expected) => {
    const { output } = read([start(), ...text(0, 'a'), ...ending(native)]).response;
    expect(output.finishReason).toBe(expected);
    expect(output.metadata?.extra?.['anthropic/stop_reason']).toBe(native);
    expect(output.metadata?.extra?.['everloop/pause']).toBe(
      native === 'pause_turn' ? true : undefined,
    );
  });

  it('comes with its stop sequence, its details and the container', () => {
    const stop_details = { type: 'refusal', category: 'bio', explanation: null };
    const more = { stop_sequence: 'x', stop_details, container: { id: 'c' } };
    const { output } = read([start(), ...text(0, 'a'), ...ending('refusal', more)]).response;
    expect(output.metadata?.extra).toMatchObject({
      'anthropic/stop_sequence': 'x',
      'anthropic/stop_details': stop_details,
      'anthropic/container': { id: 'c' },
    });
    expect(output.message?.parts).toEqual([{ kind: 'text', text: 'a' }]);
  });

  it('with an explanation adds it as the refusal', () => {
    const stop_details = { type: 'refusal', category: 'cyber', explanation: 'Not that.' };
    expect(partsOf([start(), ...text(0, 'a'), ...ending('refusal', { stop_details })])).toEqual([
      { kind: 'text', text: 'a' },
      { kind: 'refusal', text: 'Not that.' },
    ]);
  });

  it('that never comes means that the stream was cut', () => {
    expect(failure([start(), ...text(0, 'a')])).toMatchObject({ kind: 'stream_cut' });
    expect(failure([start(), { type: 'message_stop' }])).toMatchObject({ kind: 'stream_cut' });
    expect(failure([])).toMatchObject({ kind: 'stream_cut' });
  });

  it('is followed by nothing worth waiting for but the last event', () => {
    const events = [start(), ...text(0, 'a'), ...ending('end_turn')];
    let state = initialReadState;
    const complete = events.map((event) => {
      state = readEvent(state, event).state;
      return isComplete(state);
    });
    expect(complete).toEqual(events.map((event) => event === events.at(-1)));
  });
});

describe('text', () => {
  it('of neighbouring blocks stays apart', () => {
    expect(partsOf(whole(text(0, 'a', 'b'), text(1, 'c')))).toEqual([
      { kind: 'text', text: 'ab' },
      { kind: 'text', text: 'c' },
    ]);
  });

  it('that is empty is no part', () => {
    expect(partsOf(whole(text(0), text(1, 'c')))).toEqual([{ kind: 'text', text: 'c' }]);
    expect(read(whole(text(0))).response.output.message).toBeUndefined();
  });

  it('is whole where a piece ends inside a code point, and refused where it never is', () => {
    expect(partsOf(whole(text(0, 'a\ud83d', '\ude00b')))).toEqual([{ kind: 'text', text: 'a😀b' }]);
    expect(failure(whole(text(0, 'a\ud83d')))).toMatchObject({ kind: 'invalid_response' });
    expect(failure(whole(text(0, '\ude00')))).toMatchObject({ kind: 'invalid_response' });
  });

  it('may come at once with its block', () => {
    expect(partsOf(whole(block(0, { type: 'text', text: 'all' })))).toEqual([
      { kind: 'text', text: 'all' },
    ]);
  });
});

describe('a citation', () => {
  const cited = (citation: Event) => ({ type: 'citations_delta', citation });
  const place = { cited_text: 'q', document_index: 1, document_title: null, file_id: null };

  it.each<[Event, object]>([
    [
      { ...place, type: 'char_location', file_id: 'file_1', document_title: 'T' },
      { source: { kind: 'reference', value: 'file_1' }, title: 'T', quote: 'q' },
    ],
    [
      { ...place, type: 'page_location', document_title: 'T' },
      { source: { kind: 'reference', value: 'T' }, title: 'T', quote: 'q' },
    ],
    [
      { ...place, type: 'content_block_location' },
      { source: { kind: 'reference', value: 'document 1' }, quote: 'q' },
    ],
    [
      { type: 'web_search_result_location', url: 'https://e.org/a', title: 'A', cited_text: 'q' },
      { source: { kind: 'uri', value: 'https://e.org/a' }, title: 'A', quote: 'q' },
    ],
    [
      { type: 'search_result_location', source: 'doc-1', title: null, cited_text: 'q' },
      { source: { kind: 'reference', value: 'doc-1' }, quote: 'q' },
    ],
  ])('%j becomes %j', (wire, citation) => {
    const events = block(
      0,
      { type: 'text', text: '', citations: [] },
      { type: 'text_delta', text: 'a' },
      cited(wire),
    );
    const { message } = read(whole(events)).response.output;
    expect(message?.parts).toEqual([{ kind: 'text', text: 'a', citations: [citation] }]);
    expect(message?.metadata).toEqual({ 'anthropic/citations': { 0: [wire] } });
  });

  it('that comes before its text waits for it', () => {
    const wire = { type: 'search_result_location', source: 's', title: null, cited_text: '' };
    const events = block(0, { type: 'text', text: '' }, cited(wire), {
      type: 'text_delta',
      text: 'a',
    });
    expect(partsOf(whole(events))).toEqual([
      { kind: 'text', text: 'a', citations: [{ source: { kind: 'reference', value: 's' } }] },
    ]);
  });

  it('without any text is left out, which is reported', () => {
    const wire = { type: 'search_result_location', source: 's', title: null, cited_text: '' };
    const events = block(0, { type: 'text', text: '' }, cited(wire));
    const { response, report } = read(whole(events, text(1, 'b')));
    expect(response.output.message?.parts).toEqual([{ kind: 'text', text: 'b' }]);
    expect(report).toMatchObject([{ severity: 'omitted', path: 'content[0]' }]);
  });
});

describe('a tool call', () => {
  it('has its arguments as they came', () => {
    const pieces = ['{"id": 1234567', '8901234567890', ', "x":1.0}'];
    expect(partsOf(whole(toolUse(0, 'a', ...pieces)))).toEqual([
      { kind: 'tool_call', toolCall: { id: 'a', name: 'f', arguments: pieces.join('') } },
    ]);
  });

  it('without pieces has empty arguments, or those of its beginning', () => {
    expect(partsOf(whole(toolUse(0, 'a')))).toMatchObject([{ toolCall: { arguments: '' } }]);
    const full = { type: 'tool_use', id: 'a', name: 'f', input: { b: 1 } };
    expect(partsOf(whole(block(0, full)))).toMatchObject([{ toolCall: { arguments: '{"b":1}' } }]);
  });

  it('with the id of another stays apart from it', () => {
    expect(partsOf(whole(toolUse(0, 'a', '1'), toolUse(1, 'a', '2')))).toMatchObject([
      { toolCall: { id: 'a', arguments: '1' } },
      { toolCall: { id: 'a_2', arguments: '2' } },
    ]);
  });

  it('keeps its toolset, and who made it where that was not the model itself', () => {
    const caller = { type: 'code_execution_20260120', tool_id: 's' };
    const begun = { type: 'tool_use', id: 'a', name: 'f', input: {}, caller, toolset_name: 'x' };
    expect(partsOf(whole(block(0, begun)))).toMatchObject([
      { metadata: { 'anthropic/caller': caller, 'anthropic/toolset_name': 'x' } },
    ]);
  });

  it.each([{ id: '', name: 'f' }, { id: 'a' }])('needs id and name: %j', (members) => {
    const error = failure(whole(block(0, { type: 'tool_use', input: {}, ...members })));
    expect(error).toMatchObject({ kind: 'invalid_response' });
  });
});

describe('usage', () => {
  const usageOf = (first: Event, last: Event) =>
    read([start(first), ...text(0, 'a'), ...ending('end_turn', {}, last)]);

  it('has cached input as a part of the input', () => {
    const { response } = usageOf(
      { input_tokens: 5, cache_read_input_tokens: 90, cache_creation_input_tokens: 3 },
      { output_tokens: 9, output_tokens_details: { thinking_tokens: 4 } },
    );
    expect(response.metadata?.usage).toEqual({
      inputTokens: 98,
      outputTokens: 9,
      reasoningTokens: 4,
      cacheReadInputTokens: 90,
      cacheWriteInputTokens: 3,
    });
  });

  it('of the end replaces that of the beginning, except where it says nothing', () => {
    const { response } = usageOf(
      { input_tokens: 5, cache_read_input_tokens: 7, output_tokens: 1 },
      { input_tokens: 6, cache_read_input_tokens: null, output_tokens: 9 },
    );
    expect(response.metadata?.usage).toEqual({
      inputTokens: 13,
      outputTokens: 9,
      cacheReadInputTokens: 7,
    });
    expect(response.metadata?.extra?.['anthropic/usage']).toEqual({
      input_tokens: 6,
      cache_read_input_tokens: 7,
      output_tokens: 9,
    });
  });

  it('that cannot be true is left out, and the answer is kept', () => {
    const details = { thinking_tokens: 10 };
    const first = usageOf(
      { input_tokens: 5 },
      { output_tokens: 9, output_tokens_details: details },
    );
    expect(first.response.metadata?.usage).toEqual({ inputTokens: 5, outputTokens: 9 });
    expect(first.report).toMatchObject([{ path: 'metadata.usage.reasoningTokens' }]);
    const second = usageOf({ input_tokens: -5 }, { output_tokens: 9 });
    expect(second.response.metadata?.usage).toBeUndefined();
    expect(second.report).toMatchObject([{ path: 'metadata.usage' }]);
  });
});

describe('events', () => {
  it('of unknown types, pings and unknown pieces are ignored', () => {
    const odd = block(
      0,
      { type: 'text', text: '' },
      { type: 'sparkle_delta', sparkle: 1 },
      {
        type: 'text_delta',
        text: 'a',
      },
    );
    const events = [{ type: 'ping' }, { type: 'new_thing', n: 1 }, ...whole(odd)];
    expect(partsOf(events)).toEqual([{ kind: 'text', text: 'a' }]);
  });

  it.each([
    [
      'a piece of a block that has not begun',
      { type: 'content_block_delta', index: 4, delta: { type: 'x' } },
    ],
    [
      'a block that begins twice',
      { type: 'content_block_start', index: 0, content_block: { type: 'text' } },
    ],
    [
      'a piece of a block that has ended',
      { type: 'content_block_delta', index: 0, delta: { type: 'x' } },
    ],
    ['an index that is none', { type: 'content_block_stop', index: 'x' }],
    ['no event at all', 'hello'],
    ['an event without a type', {}],
  ])('that no stream may contain are refused: %s', (_, event) => {
    expect(failure([start(), ...text(0, 'a'), event])).toMatchObject({ kind: 'invalid_response' });
  });

  it.each([
    ['overloaded_error', 'overloaded'],
    ['rate_limit_error', 'rate_limited'],
    ['api_error', 'server'],
    ['authentication_error', 'authentication'],
    ['invalid_request_error', 'bad_request'],
    ['timeout_error', 'timeout'],
  ])('that report %s are thrown as %s', (type, kind) => {
    const error = failure([start(), { type: 'error', error: { type, message: 'oh' } }]);
    expect(error).toMatchObject({ kind, providerType: type, message: 'oh' });
  });

  it('may leave out the end of the last block', () => {
    const begun = toolUse(0, 'a', '{}').slice(0, -1);
    expect(partsOf([start(), ...begun, ...ending('tool_use')])).toHaveLength(1);
  });
});

/** The blocks of an answer, and the events that bring them. */
const blocks = [
  { type: 'thinking', thinking: 'First 🎉.', signature: 'sig+/A=' },
  { type: 'thinking', thinking: '', signature: 'sigB' },
  { type: 'redacted_thinking', data: 'opaque+/=' },
  { type: 'text', text: 'Searching.' },
  { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'a 🎉' } },
  {
    type: 'web_search_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: [
      { type: 'web_search_result', url: 'https://e.org', encrypted_content: 'x'.repeat(40) },
    ],
    caller: { type: 'direct' },
  },
  {
    type: 'text',
    text: 'It says so.',
    citations: [
      {
        type: 'web_search_result_location',
        url: 'https://e.org',
        title: 'E',
        encrypted_index: 'i',
        cited_text: 'so',
      },
    ],
  },
  { type: 'tool_use', id: 'toolu_1', name: 'f', input: { b: 1, a: [] } },
  { type: 'tool_use', id: 'toolu_2', name: 'g', input: {} },
] as const;

type Cut = (text: string) => string[];

function eventsOf(cut: Cut): Event[] {
  return blocks.flatMap((each, index): Event[] => {
    switch (each.type) {
      case 'thinking':
        return block(
          index,
          { type: 'thinking', thinking: '', signature: '' },
          ...cut(each.thinking).map((piece) => ({ type: 'thinking_delta', thinking: piece })),
          { type: 'signature_delta', signature: each.signature },
        );
      case 'text':
        return block(
          index,
          { type: 'text', text: '', citations: 'citations' in each ? [] : null },
          ...cut(each.text).map((piece) => ({ type: 'text_delta', text: piece })),
          ...('citations' in each ? each.citations : []).map((citation) => ({
            type: 'citations_delta',
            citation,
          })),
        );
      case 'tool_use':
      case 'server_tool_use': {
        const json = JSON.stringify(each.input);
        const pieces = json === '{}' ? [] : cut(json);
        return block(
          index,
          { ...each, input: {} },
          ...pieces.map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
        );
      }
      default:
        return block(index, each);
    }
  });
}

const uncut: Cut = (piece) => (piece === '' ? [] : [piece]);

describe('an answer', () => {
  it('is the same however its texts are cut', () => {
    const expected = read([start(), ...eventsOf(uncut), ...ending('tool_use')]);
    fc.assert(
      fc.property(fc.infiniteStream(fc.integer({ min: 1, max: 7 })), (sizes) => {
        const cut: Cut = (text) => {
          const pieces: string[] = [];
          for (let at = 0; at < text.length; ) {
            const size = sizes.next().value ?? 1;
            // Cuts between UTF-16 units, as JSON escapes let a server do.
            pieces.push(text.slice(at, at + size));
            at += size;
          }
          return pieces;
        };
        expect(read([start(), ...eventsOf(cut), ...ending('tool_use')])).toEqual(expected);
      }),
    );
  });

  it('goes back exactly as it came, block by block', () => {
    const { message } = read([start(), ...eventsOf(uncut), ...ending('tool_use')]).response.output;
    if (message === undefined) throw new Error('nothing was said');
    const results = ['toolu_1', 'toolu_2'].map((id) => ({
      role: 'tool' as const,
      parts: [{ kind: 'tool_result' as const, toolResult: { id, name: 'f', output: {} } }],
    }));
    const request = createRequest({ messages: [userMessage('q'), message, ...results] });
    const { body, report } = toRequestBody(request, 'm');
    expect(JSON.parse(writeJson(body)).messages[1].content).toEqual(blocks);
    expect(report.map(({ path }) => path)).toEqual(['options.maxOutputTokens']);
  });

  it('that is paused goes back unchanged, though it holds nothing but what the provider ran', () => {
    const input = '{"query": "x", "n": 12345678901234567890}';
    const begun = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} };
    const paused = block(0, begun, { type: 'input_json_delta', partial_json: input });
    const { output } = read([start(), ...paused, ...ending('pause_turn')]).response;
    expect(output.metadata?.extra?.['everloop/pause']).toBe(true);
    if (output.message === undefined) throw new Error('nothing was said');
    const request = createRequest({ messages: [userMessage('q'), output.message] });
    expect(writeJson(toRequestBody(request, 'm').body)).toContain(
      `"content":[{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":${input}}]`,
    );
  });

  it('keeps blocks of a kind that is not known yet, and joins their pieces', () => {
    const begun = { type: 'compaction', content: 'so ', version: 1 };
    const events = block(0, begun, { type: 'compaction_delta', content: 'far', version: 2 });
    const { message } = read(whole(events, text(1, 'a'))).response.output;
    if (message === undefined) throw new Error('nothing was said');
    const request = createRequest({ messages: [userMessage('q'), message, userMessage('r')] });
    expect(JSON.parse(writeJson(toRequestBody(request, 'm').body)).messages[1].content).toEqual([
      { type: 'compaction', content: 'so far', version: 2 },
      { type: 'text', text: 'a' },
    ]);
  });
});
