/** The adapter against the local server, through the vendor's SDK and real sockets. */

import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { systemMessage, userMessage } from '../../../src/chat/create-message.ts';
import type { ModelError } from '../../../src/chat/model-error.ts';
import type { ReportEntry } from '../../../src/chat/report.ts';
import type { Request } from '../../../src/chat/request.ts';
import { createRequest } from '../../../src/chat/request.ts';
import type { ResponseDelta } from '../../../src/chat/response-delta.ts';
import type { OpenAiChatModelOptions } from '../../../src/models/openai-chat/openai-chat-model.ts';
import { openAiChatModel } from '../../../src/models/openai-chat/openai-chat-model.ts';
import { modelConformance } from '../../../src/testing/model-conformance.ts';
import type {
  OpenAiChatServer,
  OpenAiChatServerOptions,
} from '../../../src/testing/openai-chat/openai-chat-server.ts';
import { startOpenAiChatServer } from '../../../src/testing/openai-chat/openai-chat-server.ts';
import type { Misbehaviour } from '../../../src/testing/provider-server/misbehaviour.ts';

const servers: OpenAiChatServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(options: Partial<OpenAiChatServerOptions> = {}) {
  const server = await startOpenAiChatServer({ script: [{ text: 'Hello there.' }], ...options });
  servers.push(server);
  const model = (more: Partial<OpenAiChatModelOptions> = {}) =>
    openAiChatModel({ model: 'gpt-x', apiKey: 'key-1', baseURL: server.url, ...more });
  return { server, model };
}

const ask = (): Request => createRequest({ messages: [userMessage('Answer.')] });
const never = () => new AbortController().signal;

/** Everything a stream yields, and what it throws. */
async function follow(stream: AsyncIterable<ResponseDelta>) {
  const deltas: ResponseDelta[] = [];
  try {
    for await (const delta of stream) deltas.push(delta);
  } catch (error) {
    return { deltas, error };
  }
  return { deltas, error: undefined };
}

describe('the contract of every model', () => {
  for (const { title, check } of modelConformance) {
    it(title, () =>
      check({
        create: async (script) => {
          const server = await startOpenAiChatServer({ script });
          return {
            model: openAiChatModel({ model: 'gpt-x', apiKey: 'key-1', baseURL: server.url }),
            requests: () => server.calls().length,
            open: () => server.calls().filter((call) => call.status === 'open').length,
            close: server.close,
          };
        },
      }),
    );
  }
});

describe('an answer', () => {
  it('is the same from generate and from the stream put together', async () => {
    const { model } = await serve({
      script: [{ text: 'Hi.', calls: [{ name: 'f', arguments: '{"a" : 1}' }] }],
    });
    const response = await model().generate(ask(), { signal: never() });
    expect(response).toMatchObject({
      output: {
        message: {
          parts: [
            { kind: 'text', text: 'Hi.' },
            { kind: 'tool_call', toolCall: { name: 'f', arguments: '{"a" : 1}' } },
          ],
        },
        finishReason: 'tool_calls',
        metadata: { extra: { 'openai-chat/finish_reason': 'tool_calls' } },
      },
      metadata: { model: 'gpt-x', id: expect.stringMatching(/^chatcmpl-\w+$/) },
    });
    const { deltas } = await follow(model().stream(ask(), { signal: never() }));
    const said = deltas.flatMap((delta) => delta.parts ?? []);
    expect(said.map((part) => (part.kind === 'text' ? part.text : '')).join('')).toBe('Hi.');
    expect(deltas.at(-1)?.finishReason).toBe('tool_calls');
  });

  it('is whole once its finish reason has come, though the connection breaks before usage', async () => {
    const { model } = await serve({
      script: [{ text: 'Hi.' }],
      misbehave: () => ({ kind: 'cut', afterChunks: 3 }),
    });
    const { output, metadata } = await model().generate(ask(), { signal: never() });
    expect(output.finishReason).toBe('stop');
    expect(metadata?.usage).toBeUndefined();
  });

  it('is whole once its finish reason has come, though nothing follows', async () => {
    const { model } = await serve({
      script: [{ text: 'Hi.' }],
      misbehave: () => ({ kind: 'stall', afterChunks: 3 }),
    });
    const { output } = await model({ idleTimeoutMs: 50 }).generate(ask(), { signal: never() });
    expect(output.finishReason).toBe('stop');
  });

  it('survives a slow provider that keeps sending', async () => {
    const { model } = await serve({
      misbehave: () => ({ kind: 'slow', beforeMs: 20, betweenMs: 20 }),
    });
    const { output } = await model({ idleTimeoutMs: 2_000 }).generate(ask(), { signal: never() });
    expect(output.finishReason).toBe('stop');
  });

  it('survives a slow reader: only silence of the provider counts', async () => {
    const { model } = await serve();
    const texts: string[] = [];
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      for await (const delta of model({ idleTimeoutMs: 500 }).stream(ask(), { signal: never() })) {
        vi.advanceTimersByTime(10_000);
        for (const part of delta.parts ?? []) if (part.kind === 'text') texts.push(part.text);
      }
    } finally {
      vi.useRealTimers();
    }
    expect(texts.join('')).toBe('Hello there.');
  });

  it('has whole characters, wherever the network cut their bytes', async () => {
    const chunk = (delta: object, finish_reason: string | null) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    const text = '“é漢👩‍🚀”';
    const bytes = new TextEncoder().encode(
      `${chunk({ content: text }, null)}${chunk({}, 'stop')}data: [DONE]\n\n`,
    );
    const fetch = async () => {
      const body = ReadableStream.from(Array.from(bytes, (byte) => Uint8Array.of(byte)));
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    };
    const model = openAiChatModel({ model: 'gpt-x', apiKey: 'k', fetch });
    const { output } = await model.generate(ask(), { signal: never() });
    expect(output.message?.parts).toEqual([{ kind: 'text', text }]);
  });
});

describe('a request', () => {
  it('is asked once, with the key, and nothing of the environment in its headers', async () => {
    vi.stubEnv('OPENAI_ORG_ID', 'org-of-somebody');
    vi.stubEnv('OPENAI_PROJECT_ID', 'project-of-somebody');
    vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:9/v1');
    try {
      const { server, model } = await serve({ apiKey: 'key-1' });
      await model().generate(ask(), { signal: never() });
      const [call, ...more] = server.calls();
      expect(more).toEqual([]);
      expect(JSON.stringify(call?.headers)).not.toMatch(/of-somebody|key-1/);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('goes out byte for byte the same, and only grows at its end', async () => {
    const { server, model } = await serve({ script: () => ({ text: 'a' }) });
    const messages = [systemMessage('Be brief.'), userMessage('one')];
    const tools = [{ name: 'f', inputSchema: { type: 'object', properties: { b: {}, a: {} } } }];
    const longer = [...messages, userMessage('two')];
    for (const sent of [messages, messages, longer]) {
      await model().generate(createRequest({ messages: sent, tools }), { signal: never() });
    }
    const [first = '', second, third] = server.calls().map((call) => call.body);
    expect(second).toBe(first);
    expect(third?.startsWith(first.slice(0, first.indexOf('],"stream"')))).toBe(true);
  });

  it('that the API cannot express is refused before any I/O', async () => {
    const { server, model } = await serve();
    const request = createRequest({ messages: [userMessage('q')], options: { topK: 1 } });
    const { error } = await follow(model().stream(request, { signal: never() }));
    expect(error).toMatchObject({ name: 'ChatError', path: 'options.topK' });
    expect(server.calls()).toEqual([]);
  });

  it('with calls and results that do not belong together is refused before any I/O', async () => {
    const { server, model } = await serve();
    const orphan = { id: 'zz', name: 'f', output: {} };
    const request = createRequest({
      messages: [
        userMessage('q'),
        { role: 'tool', parts: [{ kind: 'tool_result', toolResult: orphan }] },
      ],
    });
    const { error } = await follow(model().stream(request, { signal: never() }));
    expect(error).toMatchObject({ name: 'ChatError', message: expect.stringContaining('zz') });
    expect(server.calls()).toEqual([]);
  });

  it('tells what it leaves out or puts differently', async () => {
    const { model } = await serve({ script: () => ({ text: 'a' }) });
    const entries: ReportEntry[] = [];
    const request = createRequest({
      messages: [
        { role: 'assistant', parts: [{ kind: 'tool_call', toolCall: { id: 'a', name: 'f' } }] },
        {
          role: 'tool',
          parts: [
            { kind: 'tool_result', toolResult: { id: 'a', name: 'f', output: {}, isError: true } },
          ],
        },
      ],
    });
    await model().generate(request, { signal: never(), report: (entry) => entries.push(entry) });
    expect(entries.map((entry) => entry.path)).toEqual(['messages[1].parts[0].toolResult.isError']);
  });
});

describe('a failure', () => {
  const cases: [string, Misbehaviour, Partial<ModelError>][] = [
    ...(
      [
        [400, { kind: 'bad_request', retryable: false }],
        [401, { kind: 'authentication', retryable: false }],
        [403, { kind: 'permission', retryable: false }],
        [404, { kind: 'not_found', retryable: false }],
        [408, { kind: 'timeout', retryable: true }],
        [409, { kind: 'server', retryable: true }],
        [429, { kind: 'rate_limited', retryable: true }],
        [500, { kind: 'server', retryable: true }],
        [503, { kind: 'overloaded', retryable: true }],
        [529, { kind: 'overloaded', retryable: true }],
      ] as const
    ).map(([status, expected]): [string, Misbehaviour, Partial<ModelError>] => [
      `status ${status}`,
      { kind: 'status', status },
      { ...expected, status, outputStarted: false, requestId: 'req_000000000000000000000000' },
    ]),
    [
      'retry-after in seconds',
      { kind: 'status', status: 429, headers: { 'retry-after': '3' } },
      { kind: 'rate_limited', retryAfterMs: 3000 },
    ],
    [
      'retry-after in milliseconds',
      { kind: 'status', status: 503, headers: { 'retry-after-ms': '40' } },
      { kind: 'overloaded', retryAfterMs: 40 },
    ],
    [
      'retry-after as a date',
      { kind: 'status', status: 429, headers: { 'retry-after': 'Sun, 01 Nov 2026 00:00:00 GMT' } },
      { kind: 'rate_limited', retryAfterMs: 0 },
    ],
    [
      'a context that is too long',
      { kind: 'status', status: 400, error: { code: 'context_length_exceeded' } },
      { kind: 'context_too_long', retryable: false },
    ],
    [
      'a web page instead of a stream',
      { kind: 'html' },
      { kind: 'invalid_response', retryable: false, status: 200 },
    ],
    [
      'a web page as an error',
      { kind: 'html', status: 502 },
      {
        kind: 'server',
        retryable: true,
        status: 502,
        message: '502 the provider answered with a web page instead of JSON',
      },
    ],
    [
      'a connection dropped before the headers',
      { kind: 'drop' },
      { kind: 'connection', retryable: true, outputStarted: false },
    ],
    [
      'a cut before any output',
      { kind: 'cut', afterChunks: 1 },
      { kind: 'stream_cut', retryable: true, outputStarted: false },
    ],
    [
      'a cut inside the output',
      { kind: 'cut', afterChunks: 2 },
      { kind: 'stream_cut', retryable: true, outputStarted: true },
    ],
    [
      'a stream without a terminal event',
      { kind: 'no_terminal' },
      { kind: 'stream_cut', retryable: true, outputStarted: true },
    ],
    [
      'an event that is not JSON',
      { kind: 'malformed', afterChunks: 2 },
      { kind: 'invalid_response', retryable: true, outputStarted: true },
    ],
    [
      'an error inside the stream',
      { kind: 'error_in_stream', error: { type: 'overloaded_error' } },
      {
        kind: 'overloaded',
        retryable: true,
        outputStarted: false,
        providerType: 'overloaded_error',
      },
    ],
    [
      'silence before the headers',
      { kind: 'stall' },
      { kind: 'timeout', retryable: true, outputStarted: false },
    ],
    [
      'silence inside the output',
      { kind: 'stall', afterChunks: 2 },
      { kind: 'timeout', retryable: true, outputStarted: true },
    ],
  ];
  it.each(cases)('by %s', async (_, misbehaviour, expected) => {
    const { server, model } = await serve({ misbehave: () => misbehaviour });
    const { error } = await follow(
      model({ idleTimeoutMs: 300 }).stream(ask(), { signal: never() }),
    );
    expect(error).toMatchObject({ name: 'ModelError', provider: 'openai-chat', ...expected });
    expect(server.calls()).toHaveLength(1);
  });

  it('by a refused connection', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    await new Promise((resolve) => taken.close(resolve));
    const model = openAiChatModel({
      model: 'gpt-x',
      apiKey: 'k',
      baseURL: `http://127.0.0.1:${port}/v1`,
    });
    const { error } = await follow(model.stream(ask(), { signal: never() }));
    expect(error).toMatchObject({ kind: 'connection', code: 'ECONNREFUSED', retryable: true });
  });

  it('by a key or a model the server does not know', async () => {
    const { model } = await serve({ apiKey: 'key-2', models: ['gpt-y'] });
    const failed = async (options: Partial<OpenAiChatModelOptions>) =>
      (await follow(model(options).stream(ask(), { signal: never() }))).error;
    expect(await failed({})).toMatchObject({ kind: 'authentication', code: 'invalid_api_key' });
    expect(await failed({ apiKey: 'key-2' })).toMatchObject({
      kind: 'not_found',
      code: 'model_not_found',
    });
    expect(await failed({ apiKey: 'key-2', model: 'gpt-y' })).toBeUndefined();
  });

  it('by an answer that is no stream lets its connection go', async () => {
    let signal: AbortSignal | null | undefined;
    const fetch: typeof globalThis.fetch = async (_, init) => {
      signal = init?.signal;
      return new Response(new ReadableStream(), { headers: { 'content-type': 'text/html' } });
    };
    const model = openAiChatModel({ model: 'gpt-x', apiKey: 'k', fetch });
    const { error } = await follow(model.stream(ask(), { signal: never() }));
    expect(error).toMatchObject({ kind: 'invalid_response' });
    expect(signal?.aborted).toBe(true);
  });

  it('by silence closes the socket', async () => {
    const { server, model } = await serve({ misbehave: () => ({ kind: 'stall', afterChunks: 2 }) });
    await follow(model({ idleTimeoutMs: 50 }).stream(ask(), { signal: never() }));
    await vi.waitUntil(() => server.calls()[0]?.status === 'closedByClient');
  });
});

describe('cancellation', () => {
  it.each<[string, Misbehaviour]>([
    ['before the headers', { kind: 'stall' }],
    ['before the first text', { kind: 'stall', afterChunks: 1 }],
    ['inside the text', { kind: 'stall', afterChunks: 2 }],
  ])('%s closes the socket and throws the reason of the signal', async (_, misbehaviour) => {
    const { server, model } = await serve({ misbehave: () => misbehaviour });
    const controller = new AbortController();
    const reason = new Error('enough');
    const following = follow(model().stream(ask(), { signal: controller.signal }));
    const sent = misbehaviour.kind === 'stall' ? (misbehaviour.afterChunks ?? 0) : 0;
    await vi.waitUntil(() => server.calls()[0]?.deltasSent === sent);
    controller.abort(reason);
    expect((await following).error).toBe(reason);
    await vi.waitUntil(() => server.calls()[0]?.status === 'closedByClient');
  });
});
