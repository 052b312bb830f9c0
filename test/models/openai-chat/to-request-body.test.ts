/** What each member of a request becomes in the words of Chat Completions, or why it is refused. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isChatError } from '../../../src/chat/chat-error.ts';
import type { Message } from '../../../src/chat/message.ts';
import type { Options } from '../../../src/chat/options.ts';
import type { Part } from '../../../src/chat/part.ts';
import type { Request } from '../../../src/chat/request.ts';
import { createRequest } from '../../../src/chat/request.ts';
import { toRequestBody } from '../../../src/models/openai-chat/to-request-body.ts';

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
const tool = { name: 'f', description: 'F.', inputSchema: { type: 'object', properties: {} } };

function send(request: Request) {
  return toRequestBody(createRequest(request), 'gpt-x');
}
function sendMessages(...messages: Message[]) {
  const { body, report } = send({ messages });
  return { messages: body.messages, report };
}
function sendOptions(options: Options) {
  const { model, messages, tools, stream, stream_options, ...rest } = send({
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

describe('messages', () => {
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
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ],
    [
      'image bytes are a data address',
      user(media('image/png; q=1', bytes)),
      {
        role: 'user',
        content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } }],
      },
    ],
    [
      'an image address is passed on',
      user(media('image/webp', { kind: 'uri', uri: 'https://e.example/a.webp' })),
      {
        role: 'user',
        content: [{ type: 'image_url', image_url: { url: 'https://e.example/a.webp' } }],
      },
    ],
    [
      'a PDF is a file with its name',
      user(media('application/pdf', bytes, { name: 'a.pdf' })),
      {
        role: 'user',
        content: [
          {
            type: 'file',
            file: { file_data: `data:application/pdf;base64,${png}`, filename: 'a.pdf' },
          },
        ],
      },
    ],
    [
      'a PDF the provider has already is its file id',
      user(media('application/pdf', { kind: 'ref', ref: 'file-1' })),
      { role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] },
    ],
    [
      'wav bytes are input audio',
      user(media('audio/wav', bytes)),
      {
        role: 'user',
        content: [{ type: 'input_audio', input_audio: { data: png, format: 'wav' } }],
      },
    ],
    [
      'mp3 bytes are input audio',
      user(media('audio/mpeg', bytes)),
      {
        role: 'user',
        content: [{ type: 'input_audio', input_audio: { data: png, format: 'mp3' } }],
      },
    ],
    [
      'an assistant message joins its texts and keeps exact arguments',
      assistant(text('a'), text('b'), call('c1', '{"id": 9007199254740993}')),
      {
        role: 'assistant',
        content: 'ab',
        tool_calls: [
          {
            id: 'c1',
            type: 'function',
            function: { name: 'f', arguments: '{"id": 9007199254740993}' },
          },
        ],
      },
    ],
    [
      'malformed arguments go back as they came',
      assistant(call('c1', '{"a":')),
      {
        role: 'assistant',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":' } }],
      },
    ],
    [
      'a refusal has its own member',
      assistant({ kind: 'refusal', text: 'no' }),
      { role: 'assistant', refusal: 'no' },
    ],
    [
      'spoken audio goes back by id',
      assistant(media('audio/wav', bytes, { id: 'audio_1' })),
      { role: 'assistant', audio: { id: 'audio_1' } },
    ],
    [
      'a tool result joins its texts',
      result({ content: [text('x'), text('y')], details: { kept: 'for the tool' } }),
      { role: 'tool', tool_call_id: 'a', content: 'xy' },
    ],
    [
      'details alone are JSON text',
      result({ details: { n: 1 } }),
      { role: 'tool', tool_call_id: 'a', content: '{"n":1}' },
    ],
    ['an empty output is empty', result({}), { role: 'tool', tool_call_id: 'a', content: '' }],
  ])('%s', (_, message, wire) => {
    expect(sendMessages(message)).toEqual({ messages: [wire], report: [] });
  });

  it.each([undefined, '', ' \n'])('sends {} for blank arguments (%j)', (args) => {
    const { messages } = sendMessages(assistant(call('c1', args)));
    expect(messages).toMatchObject([{ tool_calls: [{ function: { arguments: '{}' } }] }]);
  });

  it('sends several system messages one by one', () => {
    const system = (words: string): Message => ({ role: 'system', parts: [text(words)] });
    expect(sendMessages(system('A'), system('B')).messages).toEqual([
      { role: 'system', content: 'A' },
      { role: 'system', content: 'B' },
    ]);
  });

  it('sends one tool message for each result', () => {
    const { messages } = sendMessages({
      role: 'tool',
      parts: ['a', 'b'].map((id) => ({
        kind: 'tool_result',
        toolResult: { id, name: 'f', output: {} },
      })),
    });
    expect(messages).toMatchObject([{ tool_call_id: 'a' }, { tool_call_id: 'b' }]);
  });
});

describe('what is reported and sent without', () => {
  it('marks an error result in its text', () => {
    expect(sendMessages(result({ content: [text('boom')] }, true))).toEqual({
      messages: [{ role: 'tool', tool_call_id: 'a', content: 'error: boom' }],
      report: [
        {
          severity: 'defaulted',
          path: 'messages[0].parts[0].toolResult.isError',
          reason: expect.any(String),
        },
      ],
    });
  });

  it('leaves reasoning behind, and the whole message where it was all', () => {
    const reasoning: Part = { kind: 'reasoning', text: 'hm', reasoningState: png };
    const { messages, report } = sendMessages(
      assistant(reasoning, text('a')),
      assistant(reasoning),
      user(text('q')),
    );
    expect(messages).toEqual([
      { role: 'assistant', content: 'a' },
      { role: 'user', content: 'q' },
    ]);
    expect(report).toMatchObject([
      { severity: 'omitted', path: 'messages[0].parts[0]' },
      { severity: 'omitted', path: 'messages[1].parts[0]' },
    ]);
  });

  it('leaves citations behind, of messages and of tool outputs', () => {
    const cited: Part = {
      kind: 'text',
      text: 'a',
      citations: [{ source: { kind: 'uri', value: 'https://e.example/a' } }],
    };
    expect(sendMessages(assistant(cited), result({ content: [cited] })).report).toMatchObject([
      { severity: 'omitted', path: 'messages[0].parts[0].citations' },
      { severity: 'omitted', path: 'messages[1].parts[0].toolResult.output.content[0].citations' },
    ]);
  });
});

describe('what is refused before anything is sent', () => {
  it.each<[string, Message]>([
    ['an image by file id', user(media('image/png', { kind: 'ref', ref: 'file-1' }))],
    ['an image of another type', user(media('image/tiff', bytes))],
    ['an image in a file address', user(media('image/png', { kind: 'uri', uri: 'file:///a.png' }))],
    ['a PDF by address', user(media('application/pdf', { kind: 'uri', uri: 'https://e.example' }))],
    ['audio of another type', user(media('audio/flac', bytes))],
    ['audio by address', user(media('audio/wav', { kind: 'uri', uri: 'https://e.example' }))],
    ['video', user(media('video/mp4', bytes))],
    [
      'media still in the blob store',
      user(media('image/png', { kind: 'blob', hash: 'h', size: 1 })),
    ],
    ['an image of the assistant', assistant(media('image/png', bytes))],
    ['audio of the assistant without an id', assistant(media('audio/wav', bytes))],
  ])('%s', (_, message) => {
    expect(refusal(() => sendMessages(message))).toEqual({
      path: 'messages[0].parts[0].media',
      codes: ['invalid_request', 'invalid_message', 'invalid_part'],
    });
  });

  it('media in a tool result', () => {
    const image = media('image/png', bytes);
    expect(refusal(() => sendMessages(result({ content: [text('page'), image] })))).toEqual({
      path: 'messages[0].parts[0].toolResult.output.content[1]',
      codes: [
        'invalid_request',
        'invalid_message',
        'invalid_part',
        'invalid_tool_result',
        'invalid_tool_output',
      ],
    });
  });

  it('a second refusal in one message', () => {
    const no: Part = { kind: 'refusal', text: 'no' };
    expect(refusal(() => sendMessages(assistant(no, no))).path).toBe('messages[0].parts[1]');
  });

  it.each<[string, Options, string]>([
    ['top_k', { topK: 3 }, 'options.topK'],
    ['five stop sequences', { stop: ['1', '2', '3', '4', '5'] }, 'options.stop'],
    ['an unknown effort', { reasoningEffort: 'enormous' }, 'options.reasoningEffort'],
    [
      'a format name with other letters',
      { outputFormat: { type: 'json_schema', name: 'a b', schema: { type: 'object' } } },
      'options.outputFormat.name',
    ],
    [
      'a format name that is too long',
      { outputFormat: { type: 'json_schema', name: 'a'.repeat(65), schema: { type: 'object' } } },
      'options.outputFormat.name',
    ],
    [
      'another extension of this namespace',
      { extensions: { 'openai-chat/other': {} } },
      'options.extensions["openai-chat/other"]',
    ],
    [
      'an extension that is no object',
      { extensions: { 'openai-chat/request': [] } },
      'options.extensions["openai-chat/request"]',
    ],
    ...[
      'model',
      'messages',
      'tools',
      'tool_choice',
      'parallel_tool_calls',
      'response_format',
      'max_completion_tokens',
      'max_tokens',
      'temperature',
      'top_p',
      'frequency_penalty',
      'presence_penalty',
      'stop',
      'reasoning_effort',
      'stream',
      'n',
      'functions',
      'function_call',
      'modalities',
      'audio',
    ].map((member): [string, Options, string] => [
      `${member} as an extension`,
      { extensions: { 'openai-chat/request': { [member]: null } } },
      `options.extensions["openai-chat/request"].${member}`,
    ]),
  ])('%s', (_, options, path) => {
    expect(refusal(() => sendOptions(options)).path).toBe(path);
  });

  it('names an unsupported output format as such', () => {
    const outputFormat = { type: 'json_schema', name: 'a b', schema: { a: 1 } } as const;
    expect(refusal(() => sendOptions({ outputFormat })).codes).toContain(
      'unsupported_output_format',
    );
  });
});

describe('options', () => {
  it.each<[Options, object]>([
    [{}, {}],
    [{ maxOutputTokens: 9 }, { max_completion_tokens: 9 }],
    [
      { temperature: 0, topP: 0.5 },
      { temperature: 0, top_p: 0.5 },
    ],
    [
      { frequencyPenalty: -1, presencePenalty: 1 },
      { frequency_penalty: -1, presence_penalty: 1 },
    ],
    [{ stop: ['a', 'b'] }, { stop: ['a', 'b'] }],
    [{ stop: [] }, {}],
    [{ reasoningEffort: 'xhigh' }, { reasoning_effort: 'xhigh' }],
    [{ outputFormat: { type: 'text' } }, { response_format: { type: 'text' } }],
    [{ outputFormat: { type: 'json' } }, { response_format: { type: 'json_object' } }],
    [
      {
        outputFormat: {
          type: 'json_schema',
          name: 'r',
          description: 'R',
          schema: { type: 'object' },
        },
      },
      {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'r', description: 'R', schema: { type: 'object' }, strict: false },
        },
      },
    ],
    [
      {
        extensions: { 'openai-chat/request': { seed: 7, store: false }, 'other/request': { n: 2 } },
      },
      { seed: 7, store: false },
    ],
  ])('%j becomes %j', (options, members) => {
    expect(sendOptions(options)).toEqual(members);
  });

  it('uses the model of the request where it names one', () => {
    const messages = [user(text('q'))];
    expect(send({ messages }).body.model).toBe('gpt-x');
    expect(send({ messages, options: { model: '' } }).body.model).toBe('gpt-x');
    expect(send({ messages, options: { model: 'gpt-y' } }).body.model).toBe('gpt-y');
  });

  it('asks for a stream with usage unless the extension says otherwise', () => {
    const messages = [user(text('q'))];
    expect(send({ messages }).body).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
    });
    const withStreamOptions = (stream_options: { [name: string]: boolean }) =>
      send({
        messages,
        options: { extensions: { 'openai-chat/request': { stream_options } } },
      }).body.stream_options;
    expect(withStreamOptions({ include_usage: false })).toEqual({ include_usage: false });
    expect(withStreamOptions({ include_obfuscation: false })).toEqual({
      include_usage: true,
      include_obfuscation: false,
    });
  });
});

describe('tools', () => {
  it('are functions', () => {
    expect(send({ messages: [user(text('q'))], tools: [tool] }).body.tools).toEqual([
      {
        type: 'function',
        function: { name: 'f', description: 'F.', parameters: { type: 'object', properties: {} } },
      },
    ]);
  });

  it.each<[Request['toolChoice'], object]>([
    [undefined, {}],
    [{ mode: 'auto' }, { tool_choice: 'auto' }],
    [{ mode: 'none' }, { tool_choice: 'none' }],
    [
      { mode: 'required', parallelism: 'single' },
      { tool_choice: 'required', parallel_tool_calls: false },
    ],
    [
      { mode: 'named', name: 'f', parallelism: 'allow' },
      {
        tool_choice: { type: 'function', function: { name: 'f' } },
        parallel_tool_calls: true,
      },
    ],
  ])('choice %j becomes %j', (toolChoice, members) => {
    const { body } = send({
      messages: [user(text('q'))],
      tools: [tool],
      ...(toolChoice === undefined ? {} : { toolChoice }),
    });
    const { tool_choice, parallel_tool_calls } = body;
    expect(JSON.parse(JSON.stringify({ tool_choice, parallel_tool_calls }))).toEqual(members);
  });
});

describe('the bytes', () => {
  const words = fc.string({ minLength: 1, unit: 'grapheme' }).map(text);
  const message = fc.oneof(
    words.map((part) => user(part)),
    words.map((part) => assistant(part)),
    fc.string({ unit: 'grapheme' }).map((args) => assistant(call('c', args))),
    fc.boolean().map((isError) => result({ content: [text('out')] }, isError)),
  );
  const history = fc.array(message, { minLength: 1, maxLength: 6 });

  it('are the same for the same request', () => {
    fc.assert(
      fc.property(history, (messages) => {
        const bytesOf = () => JSON.stringify(send({ messages, tools: [tool] }).body);
        expect(bytesOf()).toBe(bytesOf());
      }),
    );
  });

  it('only grow at the end when messages are appended, whatever the options', () => {
    const options = fc.record(
      { temperature: fc.constantFrom(0, 1), maxOutputTokens: fc.integer({ min: 1, max: 9 }) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(history, history, options, (messages, more, later) => {
        const first = JSON.stringify(send({ messages, tools: [tool] }).body);
        const second = JSON.stringify(
          send({ messages: [...messages, ...more], tools: [tool], options: later }).body,
        );
        const prefix = first.slice(0, first.indexOf('],"stream":true'));
        expect(prefix.length).toBeGreaterThan(0);
        expect(second.startsWith(prefix)).toBe(true);
      }),
    );
  });
});
