/** What each member of a request becomes in the words of the Responses API, or why it is refused. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isChatError } from '../../../src/chat/chat-error.ts';
import type { Message } from '../../../src/chat/message.ts';
import type { Options } from '../../../src/chat/options.ts';
import type { Part } from '../../../src/chat/part.ts';
import type { Request } from '../../../src/chat/request.ts';
import { createRequest } from '../../../src/chat/request.ts';
import { toRequestBody } from '../../../src/models/openai-responses/to-request-body.ts';
import {
  added,
  call as callItem,
  completed,
  done,
  message as messageItem,
  read,
  reasoning as reasoningItem,
  textEvent,
} from './wire-events.ts';

const png = 'iVBORw0KGgo=';
const user = (...parts: Part[]): Message => ({ role: 'user', parts });
const assistant = (...parts: Part[]): Message => ({ role: 'assistant', parts });
const text = (words: string): Part => ({ kind: 'text', text: words });
const call = (id: string, args?: string): Part => ({
  kind: 'tool_call',
  toolCall: { id, name: 'f', ...(args === undefined ? {} : { arguments: args }) },
});
const result = (output: object, isError?: boolean): Message => ({
  role: 'tool',
  parts: [
    {
      kind: 'tool_result',
      toolResult: { id: 'a', name: 'f', output, ...(isError === undefined ? {} : { isError }) },
    },
  ],
});
const media = (mime: string, source: object, more: object = {}): Part =>
  createRequest({
    messages: [
      { role: 'user', parts: [{ kind: 'media', media: { mime, source, ...more } } as Part] },
    ],
  }).messages[0]?.parts[0] as Part;
const bytes = { kind: 'bytes', bytes: png };

function send(request: Request) {
  return toRequestBody(createRequest(request), 'gpt-x');
}
function sendMessages(...messages: Message[]) {
  const { body, report } = send({ messages });
  return { input: body.input, report };
}
function sendOptions(options: Options) {
  const { model, input, stream, store, include, ...rest } = send({
    messages: [user(text('q'))],
    options,
  }).body;
  return rest;
}
function refusal(attempt: () => unknown): { path: string; codes: readonly string[] } {
  try {
    attempt();
  } catch (error) {
    if (isChatError(error)) return { path: error.path, codes: error.codes };
    throw error;
  }
  throw new Error('nothing was refused');
}

/** The items that go out for a message that was made of these events. */
function resend(...events: readonly unknown[]) {
  const { message } = read([...events, completed()]).response.output;
  return sendMessages(message ?? user(text('nothing')));
}
/** The items that go out for items that came in. */
function roundTrip(...items: readonly object[]) {
  return resend(...items.map((item, index) => done(index, item)));
}

describe('messages', () => {
  const image = { type: 'input_image', detail: 'auto' };
  it.each<[string, Message, object]>([
    [
      'a system message joins its texts',
      { role: 'system', parts: [text('A'), text('B')] },
      { role: 'system', content: 'AB' },
    ],
    ['a single user text is a string', user(text('q')), { role: 'user', content: 'q' }],
    [
      'several user texts stay apart',
      user(text('a'), text('b')),
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'a' },
          { type: 'input_text', text: 'b' },
        ],
      },
    ],
    ...(
      [
        [
          'image bytes are a data address',
          media('image/png; q=1', bytes),
          { ...image, image_url: `data:image/png;base64,${png}` },
        ],
        [
          'an image address is passed on',
          media('image/webp', { kind: 'uri', uri: 'https://e.example/a.webp' }),
          { ...image, image_url: 'https://e.example/a.webp' },
        ],
        [
          'an image the provider has already is its file id',
          media('image/png', { kind: 'ref', ref: 'file-1' }),
          { ...image, file_id: 'file-1' },
        ],
        [
          'a PDF is a file with its name',
          media('application/pdf', bytes, { name: 'a.pdf' }),
          {
            type: 'input_file',
            filename: 'a.pdf',
            file_data: `data:application/pdf;base64,${png}`,
          },
        ],
        [
          'a PDF without a name gets one',
          media('application/pdf', { kind: 'uri', uri: 'data:application/pdf;base64,AAAA' }),
          {
            type: 'input_file',
            filename: 'document.pdf',
            file_data: 'data:application/pdf;base64,AAAA',
          },
        ],
        [
          'the address of a PDF is passed on',
          media('application/pdf', { kind: 'uri', uri: 'https://e.example/a.pdf' }),
          { type: 'input_file', file_url: 'https://e.example/a.pdf' },
        ],
        [
          'a PDF the provider has already is its file id',
          media('application/pdf', { kind: 'ref', ref: 'file-1' }),
          { type: 'input_file', file_id: 'file-1' },
        ],
      ] as const
    ).map(([title, part, content]): [string, Message, object] => [
      title,
      user(part),
      { role: 'user', content: [content] },
    ]),
    [
      'texts of another provider are joined',
      assistant(text('a'), text('b')),
      { role: 'assistant', content: 'ab' },
    ],
    [
      'a refusal of another provider stays one',
      assistant({ kind: 'refusal', text: 'No.' }),
      { type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
    ],
    [
      'exact arguments go back',
      assistant(call('c1', '{"id": 9007199254740993}')),
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"id": 9007199254740993}' },
    ],
    [
      'malformed arguments go back as they came',
      assistant(call('c1', '{"a":')),
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a":' },
    ],
    [
      'blank arguments are an empty object',
      assistant(call('c1', ' ')),
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
    ],
    [
      'the texts of a result are its output',
      result({ content: [text('1'), text('2')] }),
      { type: 'function_call_output', call_id: 'a', output: '12' },
    ],
    [
      'details without content are JSON text',
      result({ details: { b: 1, a: [null] } }),
      { type: 'function_call_output', call_id: 'a', output: '{"b":1,"a":[null]}' },
    ],
    [
      'no output is an empty text',
      result({}),
      { type: 'function_call_output', call_id: 'a', output: '' },
    ],
    [
      'images and documents of a result are content',
      result({
        content: [text('page'), media('image/png', bytes), media('application/pdf', bytes)],
      }),
      {
        type: 'function_call_output',
        call_id: 'a',
        output: [
          { type: 'input_text', text: 'page' },
          { ...image, image_url: `data:image/png;base64,${png}` },
          {
            type: 'input_file',
            filename: 'document.pdf',
            file_data: `data:application/pdf;base64,${png}`,
          },
        ],
      },
    ],
  ])('%s', (_, message, item) => {
    expect(sendMessages(message)).toEqual({ input: [item], report: [] });
  });

  it.each([
    [{ content: [text('boom')] }, 'error: boom'],
    [{}, 'error: '],
    [
      { content: [media('image/png', bytes)] },
      [
        { type: 'input_text', text: 'error: ' },
        { type: 'input_image', detail: 'auto', image_url: `data:image/png;base64,${png}` },
      ],
    ],
  ])('a failed result %j says so, and that is reported', (output, expected) => {
    const { input, report } = sendMessages(result(output, true));
    expect(input).toMatchObject([{ output: expected }]);
    expect(report).toMatchObject([
      { severity: 'defaulted', path: 'messages[0].parts[0].toolResult.isError' },
    ]);
  });

  it('ids of calls that are too long are replaced alike for call and result', () => {
    const id = 'x'.repeat(65);
    const other = `${'x'.repeat(64)}y`;
    const answer = (of: string): Message => ({
      role: 'tool',
      parts: [{ kind: 'tool_result', toolResult: { id: of, name: 'f', output: {} } }],
    });
    const { input } = sendMessages(assistant(call(id), call(other)), answer(id), answer(other));
    const ids = (input as { call_id: string }[]).map((item) => item.call_id);
    expect(ids[0]).toMatch(/^call_[0-9a-f]{59}$/);
    expect(ids).toEqual([ids[0], ids[1], ids[0], ids[1]]);
    expect(ids[0]).not.toBe(ids[1]);
    expect(sendMessages(assistant(call('x'.repeat(64)))).input).toMatchObject([
      { call_id: 'x'.repeat(64) },
    ]);
  });

  it.each<[string, Message, string]>([
    ['audio', user(media('audio/wav', bytes)), 'messages[0].parts[0].media'],
    ['video', user(media('video/mp4', bytes)), 'messages[0].parts[0].media'],
    ['an image of another type', user(media('image/tiff', bytes)), 'messages[0].parts[0].media'],
    [
      'a file address',
      user(media('image/png', { kind: 'uri', uri: 'file:///a.png' })),
      'messages[0].parts[0].media',
    ],
    [
      'a blob',
      user(media('image/png', { kind: 'blob', hash: 'h', size: 1 })),
      'messages[0].parts[0].media',
    ],
    [
      'media of the model',
      assistant(text('a'), media('image/png', bytes)),
      'messages[0].parts[1].media',
    ],
    [
      'audio of a tool',
      result({ content: [media('audio/wav', bytes)] }),
      'messages[0].parts[0].toolResult.output.content[0].media',
    ],
  ])('%s is refused', (_, message, path) => {
    const refused = refusal(() => sendMessages(message));
    expect(refused.path).toBe(path);
    expect(refused.codes).toEqual(expect.arrayContaining(['invalid_request', 'invalid_message']));
  });

  it('citations that the provider did not give are left out and reported', () => {
    const cited: Part = {
      kind: 'text',
      text: 'a',
      citations: [{ source: { kind: 'reference', value: 'r' } }],
    };
    const { input, report } = sendMessages(
      user(cited),
      assistant(cited),
      result({ content: [cited] }),
    );
    expect(JSON.stringify(input)).not.toContain('citation');
    expect(report.map((entry) => entry.path)).toEqual([
      'messages[0].parts[0].citations',
      'messages[1].parts[0].citations',
      'messages[2].parts[0].toolResult.output.content[0].citations',
    ]);
  });
});

describe('an answer of the provider goes back', () => {
  const rs = (id: string, encrypted: string) => reasoningItem(id, `thought ${id}`, encrypted);
  const commentary = messageItem('m1', 'Looking.', { phase: 'commentary' });
  const calls = [callItem('fc_1', 'c1', '{"a":1}'), callItem('fc_2', 'c2', '{"a":2}')];

  it('item by item as it came, with reasoning, phases and parallel calls', () => {
    const items = [rs('rs_1', 'E1'), commentary, rs('rs_2', 'E2'), ...calls];
    expect(roundTrip(...items)).toEqual({ input: items, report: [] });
  });

  it('with every text of a reasoning item, and whatever else came with it', () => {
    const thought = {
      ...rs('rs_1', 'E1'),
      summary: ['a', 'b'].map((piece) => ({ type: 'summary_text', text: piece })),
      content: [{ type: 'reasoning_text', text: 'c' }],
      status: 'completed',
      future: { member: 1 },
    };
    const items = [thought, messageItem('m1', 'x')];
    expect(roundTrip(...items)).toEqual({ input: items, report: [] });
  });

  it('with several texts, refusals and annotations of one message', () => {
    const annotations = [{ type: 'url_citation', url: 'https://e.example/a', start_index: 0 }];
    const content = [
      { type: 'output_text', text: 'a', annotations },
      { type: 'output_text', text: 'b', annotations: [] },
      { type: 'refusal', refusal: 'c' },
    ];
    const items = [rs('rs_1', 'E1'), { ...commentary, content, status: 'incomplete' }];
    expect(roundTrip(...items)).toEqual({ input: items, report: [] });
  });

  it('with calls that have more members, and calls that broke off', () => {
    const odd = callItem('fc_1', 'c1', '{"a":', { namespace: 'n', status: 'incomplete' });
    const items = [rs('rs_1', 'E1'), odd];
    expect(roundTrip(...items)).toEqual({ input: items, report: [] });
  });

  it('with the items of hosted tools where they stood', () => {
    const search = { type: 'web_search_call', id: 'ws_1', status: 'completed' };
    const items = [rs('rs_1', 'E1'), search, messageItem('m1', 'x'), { ...search, id: 'ws_2' }];
    expect(roundTrip(...items)).toEqual({ input: items, report: [] });
  });

  it('without ids where there was no reasoning, but with its phase', () => {
    expect(roundTrip(commentary, ...calls)).toEqual({
      input: [
        { role: 'assistant', content: 'Looking.', phase: 'commentary' },
        { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a":1}' },
        { type: 'function_call', call_id: 'c2', name: 'f', arguments: '{"a":2}' },
      ],
      report: [],
    });
  });

  it.each<[string, readonly unknown[]]>([
    [
      'broke off',
      [textEvent('reasoning_summary_text.delta', 0, { summary_index: 0, delta: 'half' })],
    ],
    ['has no encrypted content', [done(0, reasoningItem('rs_1', 'thought', null))]],
  ])('without reasoning that %s, and without the ids that go with it', (_, events) => {
    expect(resend(...events, done(1, commentary), done(2, calls[0] ?? {}))).toEqual({
      input: [
        { role: 'assistant', content: 'Looking.', phase: 'commentary' },
        { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a":1}' },
      ],
      report: [{ severity: 'omitted', path: 'messages[0].parts[0]', reason: expect.any(String) }],
    });
  });

  it('without reasoning that nothing follows', () => {
    const { input, report } = roundTrip(rs('rs_1', 'E1'), commentary, rs('rs_2', 'E2'));
    expect(input).toEqual([rs('rs_1', 'E1'), commentary]);
    expect(report.map((entry) => entry.path)).toEqual(['messages[0].parts[2]']);
  });

  it('without reasoning of another provider', () => {
    const foreign: Part = {
      kind: 'reasoning',
      text: 's',
      reasoningState: 'e30=',
      metadata: { 'anthropic/block_index': 0 },
    };
    const { input, report } = sendMessages(assistant(foreign, text('a')));
    expect(input).toEqual([{ role: 'assistant', content: 'a' }]);
    expect(report.map((entry) => entry.path)).toEqual(['messages[0].parts[0]']);
  });

  it('as the same items when its texts were streamed in turns', () => {
    const delta = (at: number, words: string) =>
      textEvent('output_text.delta', at, { content_index: 0, delta: words });
    const items = [rs('rs_1', 'E1'), messageItem('m1', 'ab'), messageItem('m2', 'cd')];
    const events = [
      done(0, items[0] ?? {}),
      added(1, messageItem('m1', '')),
      added(2, messageItem('m2', '')),
      delta(1, 'a'),
      delta(2, 'c'),
      delta(1, 'b'),
      delta(2, 'd'),
    ];
    expect(resend(...events)).toEqual({ input: items, report: [] });
  });
});

describe('options', () => {
  const schema = { type: 'object', properties: {} };
  it.each<[Options, object]>([
    [{}, {}],
    [{ maxOutputTokens: 7 }, { max_output_tokens: 7 }],
    [
      { temperature: 0, topP: 0.5 },
      { temperature: 0, top_p: 0.5 },
    ],
    [{ stop: [] }, {}],
    [{ reasoningEffort: 'high' }, { reasoning: { effort: 'high' } }],
    [{ outputFormat: { type: 'text' } }, { text: { format: { type: 'text' } } }],
    [{ outputFormat: { type: 'json' } }, { text: { format: { type: 'json_object' } } }],
    [
      { outputFormat: { type: 'json_schema', name: 'n', description: 'd', schema } },
      {
        text: {
          format: { type: 'json_schema', name: 'n', description: 'd', schema, strict: false },
        },
      },
    ],
    [
      {
        reasoningEffort: 'low',
        outputFormat: { type: 'text' },
        extensions: {
          'openai/request': {
            reasoning: { summary: 'auto' },
            text: { verbosity: 'low' },
            service_tier: 'flex',
          },
          'openai-chat/request': { seed: 1 },
        },
      },
      {
        reasoning: { effort: 'low', summary: 'auto' },
        text: { format: { type: 'text' }, verbosity: 'low' },
        service_tier: 'flex',
      },
    ],
  ])('%j are %j', (options, expected) => {
    expect(sendOptions(options)).toEqual(expected);
  });

  it.each<[Options, string]>([
    [{ topK: 1 }, 'options.topK'],
    [{ frequencyPenalty: 0 }, 'options.frequencyPenalty'],
    [{ presencePenalty: 1 }, 'options.presencePenalty'],
    [{ stop: ['x'] }, 'options.stop'],
    [{ reasoningEffort: 'extreme' }, 'options.reasoningEffort'],
    [{ outputFormat: { type: 'json_schema', name: 'a b', schema } }, 'options.outputFormat.name'],
    ...[
      'input',
      'instructions',
      'store',
      'include',
      'previous_response_id',
      'conversation',
      'background',
      'stream',
      'tools',
    ].map((name): [Options, string] => [
      { extensions: { 'openai/request': { [name]: null } } },
      `options.extensions["openai/request"].${name}`,
    ]),
    [
      { extensions: { 'openai/request': { reasoning: { effort: 'low' } } } },
      'options.extensions["openai/request"].reasoning.effort',
    ],
    [
      { extensions: { 'openai/request': { text: null } } },
      'options.extensions["openai/request"].text',
    ],
    [{ extensions: { 'openai/other': {} } }, 'options.extensions["openai/other"]'],
  ])('%j are refused', (options, path) => {
    const refused = refusal(() => sendOptions(options));
    expect(refused.path).toBe(path);
    expect(refused.codes).toContain('invalid_options');
  });

  it('leave the model to the request, else to the adapter', () => {
    const messages = [user(text('q'))];
    expect(send({ messages }).body.model).toBe('gpt-x');
    expect(send({ messages, options: { model: 'gpt-y' } }).body.model).toBe('gpt-y');
  });
});

describe('tools', () => {
  const tools = [{ name: 'f', description: 'F.', inputSchema: { type: 'object' } }];
  const ask = (toolChoice?: Request['toolChoice']) =>
    send({
      messages: [user(text('q'))],
      tools,
      ...(toolChoice === undefined ? {} : { toolChoice }),
    }).body;

  it('are functions whose schemas are not strict', () => {
    expect(ask().tools).toEqual([
      {
        type: 'function',
        name: 'f',
        description: 'F.',
        parameters: { type: 'object' },
        strict: false,
      },
    ]);
  });

  it.each<[NonNullable<Request['toolChoice']>, unknown, boolean | undefined]>([
    [{ mode: 'auto' }, 'auto', undefined],
    [{ mode: 'none' }, 'none', undefined],
    [{ mode: 'required', parallelism: 'single' }, 'required', false],
    [{ mode: 'named', name: 'f', parallelism: 'allow' }, { type: 'function', name: 'f' }, true],
  ])('are chosen by %j', (choice, tool_choice, parallel) => {
    const body = ask(choice);
    expect(body.tool_choice).toEqual(tool_choice);
    expect(body.parallel_tool_calls).toBe(parallel);
  });
});

it('keeps nothing at the provider and asks for encrypted reasoning', () => {
  expect(send({ messages: [user(text('q'))] }).body).toEqual({
    model: 'gpt-x',
    input: [{ role: 'user', content: 'q' }],
    store: false,
    include: ['reasoning.encrypted_content'],
    stream: true,
  });
});

it('writes the same bytes for the same request, and leaves the request as it was', () => {
  const message = fc.constantFrom(
    user(text('a'), media('image/png', bytes)),
    assistant(text('b'), call('a', '{"z":1,"a":2}')),
    result({ content: [text('c')] }, true),
  );
  fc.assert(
    fc.property(fc.array(message, { minLength: 1, maxLength: 5 }), (messages) => {
      const request = createRequest({ messages });
      const before = structuredClone(request);
      const first = JSON.stringify(toRequestBody(request, 'm'));
      expect(JSON.stringify(toRequestBody(request, 'm'))).toBe(first);
      expect(request).toEqual(before);
    }),
  );
});
