/** Every field of a request, in the words of the Messages API or refused. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isChatError } from '../../../src/chat/chat-error.ts';
import { systemMessage, userMessage } from '../../../src/chat/create-message.ts';
import type { Media } from '../../../src/chat/media.ts';
import type { Message } from '../../../src/chat/message.ts';
import type { Options } from '../../../src/chat/options.ts';
import type { Part } from '../../../src/chat/part.ts';
import type { ReportEntry } from '../../../src/chat/report.ts';
import type { Request } from '../../../src/chat/request.ts';
import { createRequest } from '../../../src/chat/request.ts';
import type { ToolOutput } from '../../../src/chat/tool-output.ts';
import { writeJson } from '../../../src/models/anthropic/json-source.ts';
import { toRequestBody } from '../../../src/models/anthropic/to-request-body.ts';
import { defaultMaxTokens } from '../../../src/models/anthropic/to-wire-options.ts';
import { createWireCallIds } from '../../../src/models/anthropic/wire-call-ids.ts';

const user = userMessage('q');

/** The body as the server reads it, and the report without the line about the limit. */
function sent(request: Partial<Request>) {
  const { body, report } = toRequestBody(createRequest({ messages: [user], ...request }), 'm');
  const told = report.filter(({ path }) => path !== 'options.maxOutputTokens');
  return { body: JSON.parse(writeJson(body)), report: told };
}

const sentMessages = (...messages: Message[]) => {
  const { body, report } = sent({ messages });
  return { messages: body.messages, report };
};

function refusal(request: Partial<Request>): { path: string; codes: readonly string[] } {
  try {
    sent(request);
  } catch (error) {
    if (isChatError(error)) return { path: error.path, codes: error.codes };
    throw error;
  }
  throw new Error('nothing was refused');
}

const paths = (report: readonly ReportEntry[]) =>
  report.map(({ severity, path }) => `${severity} ${path}`);

const assistant = (...parts: Part[]): Message => ({ role: 'assistant', parts });
const call = (id: string, text?: string, metadata?: Part['metadata']): Part => ({
  kind: 'tool_call',
  toolCall: { id, name: 'f', ...(text === undefined ? {} : { arguments: text }) },
  ...(metadata === undefined ? {} : { metadata }),
});
const result = (id: string, output: ToolOutput = {}, isError = false): Message => ({
  role: 'tool',
  parts: [{ kind: 'tool_result', toolResult: { id, name: 'f', output, isError } }],
});
const media = (mime: string, source: Media['source'], name?: string): Part => ({
  kind: 'media',
  media: { mime, source, ...(name === undefined ? {} : { name }) },
});
const image = media('image/png', { kind: 'bytes', bytes: 'AAAA' });
const tool = { name: 'f', description: 'does', inputSchema: { type: 'object', properties: {} } };

describe('the body', () => {
  it('is a stream of the model asked for, and the bytes of a request are always the same', () => {
    const request = createRequest({
      messages: [systemMessage('Be brief.'), user],
      tools: [tool],
      toolChoice: { mode: 'auto' },
      options: { maxOutputTokens: 100, stop: ['x'], reasoningEffort: 'low' },
    });
    expect(writeJson(toRequestBody(request, 'm').body)).toBe(
      '{"model":"m","max_tokens":100,"stop_sequences":["x"],' +
        '"tools":[{"name":"f","description":"does","input_schema":{"type":"object","properties":{}}}],' +
        '"tool_choice":{"type":"auto"},"system":[{"type":"text","text":"Be brief."}],' +
        '"cache_control":{"type":"ephemeral"},' +
        '"messages":[{"role":"user","content":[{"type":"text","text":"q"}]}],' +
        '"output_config":{"effort":"low"},"stream":true}',
    );
  });

  it('names another model where the request does', () => {
    expect(sent({ options: { model: 'n' } }).body.model).toBe('n');
  });
});

describe('a limit of output', () => {
  it('is sent as given', () => {
    const request = createRequest({ messages: [user], options: { maxOutputTokens: 7 } });
    const { body, report } = toRequestBody(request, 'm');
    expect([body.max_tokens, report]).toEqual([7, []]);
  });

  it('has a default, which is reported', () => {
    const { body, report } = toRequestBody(createRequest({ messages: [user] }), 'm');
    expect(body.max_tokens).toBe(defaultMaxTokens);
    expect(paths(report)).toEqual(['defaulted options.maxOutputTokens']);
  });
});

describe('options', () => {
  const schema = { type: 'object', additionalProperties: false };
  it.each<[string, Options, object]>([
    ['stop sequences', { stop: ['a', 'b'] }, { stop_sequences: ['a', 'b'] }],
    ['no stop sequences', { stop: [] }, {}],
    ['an effort', { reasoningEffort: 'xhigh' }, { output_config: { effort: 'xhigh' } }],
    ['free text', { outputFormat: { type: 'text' } }, {}],
    [
      'JSON of a schema',
      { outputFormat: { type: 'json_schema', name: 'any name', schema } },
      { output_config: { format: { type: 'json_schema', schema } } },
    ],
  ])('are sent: %s', (_, options, expected) => {
    const plain = sent({}).body;
    expect(sent({ options }).body).toEqual({ ...plain, ...expected });
  });

  it.each<[keyof Options, Options]>([
    ['temperature', { temperature: 0 }],
    ['topP', { topP: 1 }],
    ['topK', { topK: 5 }],
    ['frequencyPenalty', { frequencyPenalty: 0 }],
    ['presencePenalty', { presencePenalty: 1 }],
    ['reasoningEffort', { reasoningEffort: 'minimal' }],
    ['outputFormat', { outputFormat: { type: 'json' } }],
  ])('that the API does not have are refused: %s', (name, options) => {
    const { path, codes } = refusal({ options });
    expect(path).toBe(`options.${name}`);
    expect(codes).toContain('invalid_options');
  });

  it('are refused where a stop sequence is blank', () => {
    expect(refusal({ options: { stop: ['x', '\n'] } }).path).toBe('options.stop[1]');
  });

  it('tell that the description of a format stays behind', () => {
    const outputFormat = { type: 'json_schema' as const, name: 'n', description: 'd', schema };
    expect(paths(sent({ options: { outputFormat } }).report)).toEqual([
      'omitted options.outputFormat.description',
    ]);
  });
});

describe('the tool choice', () => {
  it.each<[NonNullable<Request['toolChoice']>, object]>([
    [{ mode: 'auto' }, { type: 'auto' }],
    [{ mode: 'none' }, { type: 'none' }],
    [
      { mode: 'required', parallelism: 'allow' },
      { type: 'any', disable_parallel_tool_use: false },
    ],
    [
      { mode: 'named', name: 'f', parallelism: 'single' },
      { type: 'tool', name: 'f', disable_parallel_tool_use: true },
    ],
  ])('%j becomes %j', (toolChoice, expected) => {
    expect(sent({ tools: [tool], toolChoice }).body.tool_choice).toEqual(expected);
  });
});

describe('the prompt cache', () => {
  const cacheOf = (request: Partial<Request>) => sent(request).body.cache_control;
  const extended = (value: Parameters<typeof JSON.stringify>[0]) => ({
    tools: [tool],
    options: { extensions: { 'anthropic/request': { cache_control: value } } },
  });

  it('is asked for where tools or instructions come with every call', () => {
    expect(cacheOf({})).toBeUndefined();
    expect(cacheOf({ tools: [tool] })).toEqual({ type: 'ephemeral' });
    expect(cacheOf({ messages: [systemMessage('s'), user] })).toEqual({ type: 'ephemeral' });
  });

  it('is as the extension says, where it says something', () => {
    expect(cacheOf(extended(null))).toBeNull();
    expect(cacheOf(extended({ ttl: '1h' }))).toEqual({ type: 'ephemeral', ttl: '1h' });
  });
});

describe('the extension', () => {
  const extended = (value: object) => ({
    options: { extensions: { 'anthropic/request': JSON.parse(JSON.stringify(value)) } },
  });

  it('adds members of the API, also inside of those that the adapter writes', () => {
    const thinking = { type: 'adaptive' };
    const request = extended({ thinking, service_tier: 'auto', output_config: { extra: 1 } });
    const { body } = sent({ options: { ...request.options, reasoningEffort: 'low' } });
    expect(body).toMatchObject({
      thinking,
      service_tier: 'auto',
      output_config: { effort: 'low', extra: 1 },
    });
  });

  it('adds tools that the provider runs itself', () => {
    const search = { type: 'web_search_20260318', name: 'web_search' };
    const { body } = sent({ tools: [tool], ...extended({ tools: [search] }) });
    expect(body.tools).toEqual([
      { name: 'f', description: 'does', input_schema: tool.inputSchema },
      search,
    ]);
  });

  it.each([
    [{ temperature: 0 }, '.temperature'],
    [{ messages: [] }, '.messages'],
    [{ stream: false }, '.stream'],
    [{ output_config: { effort: 'low' } }, '.output_config.effort'],
    [{ tools: [{ name: 'g', input_schema: {} }] }, '.tools'],
    [{ tools: 'web_search' }, '.tools'],
  ])('may not say %j', (value, path) => {
    expect(refusal(extended(value)).path).toBe(`options.extensions["anthropic/request"]${path}`);
  });

  it('of another adapter is not for this one', () => {
    const extensions = { 'openai-chat/request': { seed: 1 } };
    expect(sent({ options: { extensions } }).body).toEqual(sent({}).body);
  });
});

describe('instructions', () => {
  it('are blocks of text, one for each part', () => {
    const system: Message = { role: 'system', parts: [{ kind: 'text', text: 'a' }] };
    const { body } = sent({ messages: [system, systemMessage('b'), user] });
    expect(body.system).toEqual([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ]);
    expect(body.messages).toHaveLength(1);
  });

  it('alone are no request', () => {
    expect(refusal({ messages: [systemMessage('s')] }).path).toBe('messages');
  });
});

describe('a user message', () => {
  const url = 'https://example.com/x';
  it.each<[string, Part, object]>([
    [
      'an image by its bytes',
      image,
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
    ],
    [
      'an image by its address',
      media('image/webp', { kind: 'uri', uri: url }),
      { type: 'image', source: { type: 'url', url } },
    ],
    [
      'an image by its file id',
      media('image/gif', { kind: 'ref', ref: 'file_1' }),
      { type: 'image', source: { type: 'file', file_id: 'file_1' } },
    ],
    [
      'a PDF by its bytes',
      media('application/pdf; v=1', { kind: 'bytes', bytes: 'AAAA' }, 'a.pdf'),
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' },
        title: 'a.pdf',
      },
    ],
    [
      'a PDF by its address',
      media('application/pdf', { kind: 'uri', uri: url }),
      { type: 'document', source: { type: 'url', url } },
    ],
    [
      'a PDF by its file id',
      media('application/pdf', { kind: 'ref', ref: 'file_1' }),
      { type: 'document', source: { type: 'file', file_id: 'file_1' } },
    ],
    [
      'a text by its bytes',
      media('text/plain', { kind: 'bytes', bytes: 'w6k=' }),
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'é' } },
    ],
  ])('may hold %s', (_, part, block) => {
    const { messages } = sentMessages({ role: 'user', parts: [{ kind: 'text', text: 't' }, part] });
    expect(messages[0].content).toEqual([{ type: 'text', text: 't' }, block]);
  });

  it.each<[string, Part, string]>([
    ['blank text', { kind: 'text', text: ' \n' }, ''],
    [
      'an image of another type',
      media('image/svg+xml', { kind: 'bytes', bytes: 'AAAA' }),
      '.media',
    ],
    ['an address outside the web', media('image/png', { kind: 'uri', uri: 'data:x' }), '.media'],
    ['sound', media('audio/wav', { kind: 'bytes', bytes: 'AAAA' }), '.media'],
    ['a blob', media('image/png', { kind: 'blob', hash: 'h', size: 1 }), '.media'],
    ['text that is no text', media('text/plain', { kind: 'bytes', bytes: '/w==' }), '.media'],
    ['a text by its address', media('text/plain', { kind: 'uri', uri: url }), '.media'],
  ])('may not hold %s', (_, part, path) => {
    const message: Message = { role: 'user', parts: [{ kind: 'text', text: 't' }, part] };
    expect(refusal({ messages: [message] })).toEqual({
      path: `messages[0].parts[1]${path}`,
      codes: ['invalid_request', 'invalid_message', 'invalid_part'],
    });
  });

  it('leaves citations behind', () => {
    const citations = [{ source: { kind: 'uri' as const, value: url } }];
    const { report } = sentMessages({
      role: 'user',
      parts: [{ kind: 'text', text: 't', citations }],
    });
    expect(paths(report)).toEqual(['omitted messages[0].parts[0].citations']);
  });
});

describe('an assistant message', () => {
  const state = (text: string) => Buffer.from(text).toString('base64');

  it('has its thinking back exactly and in order, neighbours apart', () => {
    const thinking = (index: number, text?: string): Part => ({
      kind: 'reasoning',
      ...(text === undefined ? {} : { text }),
      reasoningState: state(`signature+/=${index}`),
      metadata: { 'anthropic/thinking': index },
    });
    const { messages, report } = sentMessages(
      user,
      assistant(
        thinking(0, 'one'),
        thinking(1),
        {
          kind: 'reasoning',
          reasoningState: state('secret'),
          metadata: { 'anthropic/redacted_thinking': 2 },
        },
        {
          kind: 'reasoning',
          reasoningState: state('{"type":"server_tool_use","input":{"n":1.0}}'),
          metadata: { 'anthropic/block': 3 },
        },
        { kind: 'text', text: 'so' },
      ),
    );
    expect(messages[1].content).toEqual([
      { type: 'thinking', thinking: 'one', signature: 'signature+/=0' },
      { type: 'thinking', thinking: '', signature: 'signature+/=1' },
      { type: 'redacted_thinking', data: 'secret' },
      { type: 'server_tool_use', input: { n: 1 } },
      { type: 'text', text: 'so' },
    ]);
    expect(report).toEqual([]);
  });

  it.each<[string, Part]>([
    ['of another provider', { kind: 'reasoning', text: 'hm', reasoningState: 'AAAA' }],
    [
      'that nobody signed',
      { kind: 'reasoning', text: 'hm', metadata: { 'anthropic/thinking': 0 } },
    ],
  ])('loses reasoning %s, which is reported', (_, part) => {
    const { messages, report } = sentMessages(user, assistant(part, { kind: 'text', text: 'so' }));
    expect(messages[1].content).toEqual([{ type: 'text', text: 'so' }]);
    expect(paths(report)).toEqual(['omitted messages[1].parts[0]']);
  });

  it('of which nothing is left is not sent', () => {
    const { messages } = sentMessages(user, assistant({ kind: 'reasoning', text: 'hm' }), user);
    expect(messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'user']);
  });

  it('says its refusal as text, loses blank text, and may not hold media', () => {
    const { messages, report } = sentMessages(
      user,
      assistant({ kind: 'text', text: '\n\n' }, { kind: 'refusal', text: 'No.' }),
      user,
    );
    expect(messages[1].content).toEqual([{ type: 'text', text: 'No.' }]);
    expect(paths(report)).toEqual([
      'omitted messages[1].parts[0]',
      'defaulted messages[1].parts[1]',
    ]);
    expect(refusal({ messages: [user, assistant(image)] }).path).toBe('messages[1].parts[0]');
  });

  it('ends without white space where the answer goes on from it', () => {
    const said = assistant({ kind: 'text', text: 'Once upon ' });
    const { messages, report } = sentMessages(user, said);
    expect(messages[1].content[0].text).toBe('Once upon');
    expect(paths(report)).toEqual(['defaulted messages[1]']);
    expect(sentMessages(user, said, user).messages[1].content[0].text).toBe('Once upon ');
  });

  it('has its own citations back as they came, and loses those of others', () => {
    const raw = { type: 'page_location', cited_text: 'x', document_index: 0 };
    const text: Part = {
      kind: 'text',
      text: 'so',
      citations: [{ source: { kind: 'reference', value: 'a' } }],
    };
    const own = { ...assistant(text), metadata: { 'anthropic/citations': { 0: [raw] } } };
    const { messages, report } = sentMessages(user, own, user, assistant(text), user);
    expect(messages[1].content).toEqual([{ type: 'text', text: 'so', citations: [raw] }]);
    expect(messages[3].content).toEqual([{ type: 'text', text: 'so' }]);
    expect(paths(report)).toEqual(['omitted messages[3].parts[0].citations']);
  });

  it('names who called and the toolset of a call, and the result names the toolset too', () => {
    const caller = { type: 'code_execution_20260120', tool_id: 'srvtoolu_1' };
    const metadata = { 'anthropic/caller': caller, 'anthropic/toolset_name': 'browser' };
    const { messages } = sentMessages(user, assistant(call('a', '{}', metadata)), result('a'));
    expect(messages[1].content[0]).toMatchObject({ caller, toolset_name: 'browser' });
    expect(messages[2].content[0]).toMatchObject({ toolset_name: 'browser' });
  });
});

describe('the arguments of a call', () => {
  const bodyOf = (text: string | undefined) => {
    const messages = [user, assistant(call('a', text)), result('a')];
    const { body, report } = toRequestBody(createRequest({ messages }), 'm');
    return { text: writeJson(body), report: paths(report).slice(0, -1) };
  };

  it.each([
    '{"id": 12345678901234567890}',
    ' {"a":1.0,\n"a":2}',
    '{"__proto__":{"b":[]},"2":1,"1":2}',
    '{"t":"\\ud83d\\ude00"}',
  ])('go back as they came: %s', (text) => {
    const body = bodyOf(text);
    expect(body.text).toContain(`"input":${text}`);
  });

  it.each([undefined, '', ' \n'])('are an empty object where there are none: %j', (text) => {
    expect(bodyOf(text).text).toContain('"input":{}');
  });

  it.each(['{"a":', '[1]', '"x"', '7', 'null', '{"t":"\\ud83d"}', '{"n":1e999}', '{} {}'])(
    'that are no object stand as text inside one: %s',
    (text) => {
      const messages = [user, assistant(call('a', text)), result('a', {}, true)];
      const { body, report } = sent({ messages });
      expect(body.messages[1].content[0].input).toEqual({ _raw: text });
      expect(paths(report)).toContain('defaulted messages[1].parts[0].toolCall.arguments');
    },
  );

  it('never break the body, whatever they are', () => {
    const texts = fc.oneof(fc.json(), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(texts, (text) => {
        const body = JSON.parse(bodyOf(text).text);
        expect(body.messages).toHaveLength(3);
        expect(typeof body.messages[1].content[0].input).toBe('object');
      }),
    );
  });
});

describe('tool results', () => {
  const text = (value: string) => ({ kind: 'text' as const, text: value });

  it('of a batch are one user message', () => {
    const { messages } = sentMessages(
      user,
      assistant(call('a'), call('b')),
      result('b', { content: [text('2')] }),
      result('a', { details: { n: 1 } }),
      user,
    );
    expect(messages.slice(2)).toEqual([
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'b', content: [{ type: 'text', text: '2' }] },
          { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: '{"n":1}' }] },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'q' }] },
    ]);
  });

  const blockOf = (output: ToolOutput, isError = false) => {
    const { messages, report } = sentMessages(
      user,
      assistant(call('a')),
      result('a', output, isError),
    );
    return { block: messages[2].content[0], after: messages.slice(3), report: paths(report) };
  };

  it('that say nothing have no content, and errors always have', () => {
    expect(blockOf({}).block).toEqual({ type: 'tool_result', tool_use_id: 'a' });
    const { block, report } = blockOf({}, true);
    expect(block).toMatchObject({ is_error: true, content: [{ type: 'text' }] });
    expect(report).toEqual(['defaulted messages[2].parts[0].toolResult.output']);
  });

  it('lose blank text', () => {
    const { block, report } = blockOf({ content: [text(' '), text('x')] });
    expect(block.content).toEqual([{ type: 'text', text: 'x' }]);
    expect(report).toEqual(['omitted messages[2].parts[0].toolResult.output.content[0]']);
  });

  it('hold media, and errors have it in a user message after the results', () => {
    if (image.kind !== 'media') throw new Error('no image');
    const { block } = blockOf({ content: [image] });
    expect(block.content[0].type).toBe('image');
    const failed = blockOf({ content: [image] }, true);
    expect(failed.block.content).toEqual([{ type: 'text', text: expect.any(String) }]);
    expect(failed.after).toEqual([
      { role: 'user', content: [{ type: 'text', text: expect.any(String) }, expect.any(Object)] },
    ]);
    expect(failed.report).toEqual(['defaulted messages[2].parts[0].toolResult.output.content[0]']);
  });

  it('keep their places in errors and reports, though messages are added before them', () => {
    if (image.kind !== 'media') throw new Error('no image');
    const messages = [
      user,
      assistant(call('a')),
      result('a', { content: [image] }, true),
      user,
      assistant({ kind: 'reasoning', text: 'hm' }),
      { role: 'user' as const, parts: [media('audio/wav', { kind: 'bytes', bytes: 'AAAA' })] },
    ];
    expect(refusal({ messages }).path).toBe('messages[5].parts[0].media');
    expect(paths(sent({ messages: messages.slice(0, 5) }).report)).toContain(
      'omitted messages[4].parts[0]',
    );
  });
});

describe('call ids', () => {
  const idsOf = (ids: readonly string[]) => {
    const wire = createWireCallIds();
    return ids.map((id) => {
      const sentId = wire.forCall(id);
      expect(wire.forResult(id)).toBe(sentId);
      return sentId;
    });
  };

  it('that the API takes stay as they are', () => {
    expect(idsOf(['toolu_01', 'call-2'])).toEqual(['toolu_01', 'call-2']);
  });

  it('are all different, all taken by the API, and the same whenever they are written', () => {
    const id = fc.oneof(
      fc.string({ minLength: 1, unit: 'grapheme' }),
      fc.constantFrom('a', 'a-2', 'everloop-61', 'everloop-61-2', 'a.b', 'a|b'),
    );
    fc.assert(
      fc.property(fc.array(id, { maxLength: 20 }), fc.nat(), (ids, cut) => {
        const written = idsOf(ids);
        expect(new Set(written).size).toBe(ids.length);
        for (const each of written) expect(each).toMatch(/^[a-zA-Z0-9_-]+$/);
        expect(idsOf(ids.slice(0, cut))).toEqual(written.slice(0, cut));
      }),
    );
  });

  it('are mapped alike in calls and results', () => {
    const { messages } = sentMessages(
      user,
      assistant(call('f:1')),
      result('f:1'),
      assistant(call('f:1')),
      result('f:1'),
    );
    const [first, second] = [messages[1].content[0].id, messages[3].content[0].id];
    expect(first).not.toBe(second);
    expect(messages[2].content[0].tool_use_id).toBe(first);
    expect(messages[4].content[0].tool_use_id).toBe(second);
  });
});
