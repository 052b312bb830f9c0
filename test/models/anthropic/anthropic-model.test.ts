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
import type { AnthropicModelOptions } from '../../../src/models/anthropic/anthropic-model.ts';
import { anthropicModel } from '../../../src/models/anthropic/anthropic-model.ts';
import type {
  AnthropicServer,
  AnthropicServerOptions,
} from '../../../src/testing/anthropic/anthropic-server.ts';
import { startAnthropicServer } from '../../../src/testing/anthropic/anthropic-server.ts';
import { modelConformance } from '../../../src/testing/model-conformance.ts';
import type { Misbehaviour } from '../../../src/testing/provider-server/misbehaviour.ts';

const servers: AnthropicServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(options: Partial<AnthropicServerOptions> = {}) {
  const server = await startAnthropicServer({ script: [{ text: 'Hello there.' }], ...options });
  servers.push(server);
  const model = (more: Partial<AnthropicModelOptions> = {}) =>
    anthropicModel({ model: 'claude-x', apiKey: 'key-1', baseURL: server.url, ...more });
  return { server, model };
}

const ask = (): Request => createRequest({ messages: [userMessage('Answer.')] });
const never = () => new AbortController().signal;

/** The body of a streamed answer. */
function streamOf(text: string): string {
  const events = [
    { type: 'message_start', message: {} },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } },
    { type: 'message_stop' },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

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
        reasoning: true,
        create: async (script) => {
          const server = await startAnthropicServer({ script });
          return {
            model: anthropicModel({ model: 'claude-x', apiKey: 'key-1', baseURL: server.url }),
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
  it('names its model and id, and says in the provider own words why it ended', async () => {
    const { model } = await serve({
      script: [{ text: 'Hi.', calls: [{ name: 'f', arguments: '{"a" : 1}' }] }],
    });
    expect(await model().generate(ask(), { signal: never() })).toMatchObject({
      output: {
        message: {
          parts: [
            { kind: 'text', text: 'Hi.' },
            { kind: 'tool_call', toolCall: { name: 'f', arguments: '{"a" : 1}' } },
          ],
        },
        finishReason: 'tool_calls',
        metadata: { extra: { 'anthropic/stop_reason': 'tool_use' } },
      },
      metadata: { model: 'claude-x', id: expect.stringMatching(/^msg_\w+$/) },
    });
  });

  it('counts cached input as input', async () => {
    const usage = {
      inputTokens: 120,
      outputTokens: 30,
      reasoningTokens: 10,
      cacheReadInputTokens: 100,
      cacheWriteInputTokens: 15,
    };
    const { model } = await serve({ script: [{ text: 'Hi.', usage }] });
    const { metadata } = await model().generate(ask(), { signal: never() });
    expect(metadata?.usage).toEqual(usage);
  });

  it('tells its input before anything is said, for the case that it is cancelled', async () => {
    const { model } = await serve({
      script: [{ text: 'Hi.', usage: { inputTokens: 120, outputTokens: 30 } }],
    });
    const { deltas } = await follow(model().stream(ask(), { signal: never() }));
    expect(deltas[0]?.metadata?.usage).toMatchObject({ inputTokens: 120, outputTokens: 1 });
  });

  it('that is a refusal explains itself', async () => {
    const { model } = await serve({ script: [{ refusal: 'Not that.' }] });
    const { output } = await model().generate(ask(), { signal: never() });
    expect(output).toMatchObject({
      finishReason: 'refusal',
      message: { parts: [{ kind: 'refusal', text: 'Not that.' }] },
      metadata: { extra: { 'anthropic/stop_details': { type: 'refusal', category: null } } },
    });
  });

  it('is whole once its stop reason has come, though the connection breaks before the last event', async () => {
    const { model } = await serve({
      script: [{ text: 'Hi.' }],
      // message_start, ping, the block in three events, message_delta
      misbehave: () => ({ kind: 'cut', afterChunks: 6 }),
    });
    const { output } = await model().generate(ask(), { signal: never() });
    expect(output.finishReason).toBe('stop');
  });

  it('is whole once its stop reason has come, though nothing follows', async () => {
    const { model } = await serve({
      script: [{ text: 'Hi.' }],
      misbehave: () => ({ kind: 'stall', afterChunks: 6 }),
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

  it('survives a provider that only pings while it thinks', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const encoder = new TextEncoder();
      const ping = 'event: ping\ndata: {"type":"ping"}\n\n';
      // All pings together take longer than the idle timeout, two neighbours do not.
      const pieces = [ping, ping, ping, ping, streamOf('Done.')];
      const fetch: typeof globalThis.fetch = async (_, init) => {
        const body = new ReadableStream<Uint8Array>({
          start: (controller) =>
            init?.signal?.addEventListener('abort', () => controller.error(init.signal?.reason)),
          async pull(controller) {
            await vi.advanceTimersByTimeAsync(600);
            if (init?.signal?.aborted) return;
            controller.enqueue(encoder.encode(pieces.shift()));
            if (pieces.length === 0) controller.close();
          },
        });
        return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
      };
      const model = anthropicModel({ model: 'm', apiKey: 'k', fetch, idleTimeoutMs: 1000 });
      const { output } = await model.generate(ask(), { signal: never() });
      expect(output.message?.parts).toEqual([{ kind: 'text', text: 'Done.' }]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('is read where a gateway leaves out the names of events and ends as another API does', async () => {
    const nameless = streamOf('Hi.').replaceAll(/^event: .*\n/gm, '');
    const fetch = async () =>
      new Response(`${nameless}data: [DONE]\n\n`, {
        headers: { 'content-type': 'text/event-stream' },
      });
    const model = anthropicModel({ model: 'm', apiKey: 'k', fetch });
    const { output } = await model.generate(ask(), { signal: never() });
    expect(output.message?.parts).toEqual([{ kind: 'text', text: 'Hi.' }]);
  });

  it('has whole characters, wherever the network cut their bytes', async () => {
    const text = '“é漢👩‍🚀”';
    const bytes = new TextEncoder().encode(streamOf(text));
    const fetch = async () => {
      const body = ReadableStream.from(Array.from(bytes, (byte) => Uint8Array.of(byte)));
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    };
    const model = anthropicModel({ model: 'claude-x', apiKey: 'k', fetch });
    const { output } = await model.generate(ask(), { signal: never() });
    expect(output.message?.parts).toEqual([{ kind: 'text', text }]);
  });
});

describe('a request', () => {
  it('is asked once, with the key, and without address or credentials of the environment', async () => {
    vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 'token-of-somebody');
    vi.stubEnv('ANTHROPIC_API_KEY', 'key-of-somebody');
    vi.stubEnv('ANTHROPIC_BASE_URL', 'http://127.0.0.1:9');
    try {
      const { server, model } = await serve({ apiKey: 'key-1' });
      await model().generate(ask(), { signal: never() });
      const [call, ...more] = server.calls();
      expect(more).toEqual([]);
      expect(call?.headers['content-type']).toBe('application/json');
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

  it('carries the arguments of calls to the last digit', async () => {
    const { server, model } = await serve({ script: () => ({ text: 'a' }) });
    const text = '{"id": 12345678901234567890, "x":1.0, "x2":1e2}';
    const toolCall = { id: 'a', name: 'f', arguments: text };
    const request = createRequest({
      messages: [
        userMessage('q'),
        { role: 'assistant', parts: [{ kind: 'tool_call', toolCall }] },
        {
          role: 'tool',
          parts: [{ kind: 'tool_result', toolResult: { id: 'a', name: 'f', output: {} } }],
        },
      ],
    });
    await model().generate(request, { signal: never() });
    expect(server.calls()[0]?.body).toContain(`"input":${text}`);
  });

  it('that the API cannot express is refused before any I/O', async () => {
    const { server, model } = await serve();
    const request = createRequest({ messages: [userMessage('q')], options: { temperature: 0 } });
    const { error } = await follow(model().stream(request, { signal: never() }));
    expect(error).toMatchObject({ name: 'ChatError', path: 'options.temperature' });
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

  it('tells what it puts differently', async () => {
    const { model } = await serve();
    const entries: ReportEntry[] = [];
    await model().generate(ask(), { signal: never(), report: (entry) => entries.push(entry) });
    expect(entries).toEqual([
      { severity: 'defaulted', path: 'options.maxOutputTokens', reason: expect.any(String) },
    ]);
  });
});

describe('a conversation', () => {
  it('goes on with thinking and parallel calls sent back as they came', async () => {
    const { server, model } = await serve({
      script: [
        { reasoning: 'Two things.', text: 'Looking.', calls: [{ name: 'f' }, { name: 'g' }] },
        { text: 'Done.' },
      ],
    });
    const first = await model().generate(ask(), { signal: never() });
    const answer = first.output.message;
    if (answer === undefined) throw new Error('the model said nothing');
    const ids = answer.parts.flatMap((part) =>
      part.kind === 'tool_call' ? [part.toolCall.id] : [],
    );
    const results = ids.map((id) => ({
      role: 'tool' as const,
      parts: [
        {
          kind: 'tool_result' as const,
          toolResult: { id, name: 'f', output: { content: [{ kind: 'text' as const, text: id }] } },
        },
      ],
    }));
    const second = await model().generate(
      createRequest({ messages: [userMessage('Answer.'), answer, ...results] }),
      { signal: never() },
    );
    expect(second.output.finishReason).toBe('stop');
    expect(JSON.parse(server.calls()[1]?.body ?? '').messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Answer.' }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Two things.', signature: expect.stringMatching(/\w{60}/) },
          { type: 'text', text: 'Looking.' },
          ...ids.map((id, at) => ({ type: 'tool_use', id, name: at === 0 ? 'f' : 'g', input: {} })),
        ],
      },
      {
        role: 'user',
        content: ids.map((id) => ({
          type: 'tool_result',
          tool_use_id: id,
          content: [{ type: 'text', text: id }],
        })),
      },
    ]);
  });
});

describe('a failure', () => {
  const cases: [string, Misbehaviour, Partial<ModelError>][] = [
    ...(
      [
        [400, 'invalid_request_error', { kind: 'bad_request', retryable: false }],
        [401, 'authentication_error', { kind: 'authentication', retryable: false }],
        [402, 'billing_error', { kind: 'bad_request', retryable: false }],
        [403, 'permission_error', { kind: 'permission', retryable: false }],
        [404, 'not_found_error', { kind: 'not_found', retryable: false }],
        [409, 'conflict_error', { kind: 'server', retryable: true }],
        [413, 'request_too_large', { kind: 'bad_request', retryable: false }],
        [429, 'rate_limit_error', { kind: 'rate_limited', retryable: true }],
        [500, 'api_error', { kind: 'server', retryable: true }],
        [504, 'timeout_error', { kind: 'timeout', retryable: true }],
        [529, 'overloaded_error', { kind: 'overloaded', retryable: true }],
      ] as const
    ).flatMap(([status, providerType, expected]): [string, Misbehaviour, Partial<ModelError>][] => [
      [
        `status ${status}`,
        { kind: 'status', status },
        {
          ...expected,
          status,
          providerType,
          outputStarted: false,
          requestId: 'req_000000000000000000000000',
        },
      ],
      [
        `${providerType} inside the output`,
        { kind: 'error_in_stream', afterChunks: 4, error: { type: providerType } },
        { ...expected, providerType, outputStarted: true },
      ],
    ]),
    [
      'retry-after in seconds',
      { kind: 'status', status: 429, headers: { 'retry-after': '3' } },
      { kind: 'rate_limited', retryAfterMs: 3000 },
    ],
    [
      'a prompt that is too long',
      {
        kind: 'status',
        status: 400,
        error: { message: 'prompt is too long: 210000 tokens > 200000 maximum' },
      },
      { kind: 'context_too_long', retryable: false },
    ],
    [
      'an error with a code of its own',
      { kind: 'status', status: 400, error: { code: 'image_dimensions_too_large' } },
      { kind: 'bad_request', code: 'image_dimensions_too_large' },
    ],
    [
      'a web page instead of a stream',
      { kind: 'html' },
      { kind: 'invalid_response', retryable: false, status: 200 },
    ],
    ['a web page as an error', { kind: 'html', status: 502 }, { kind: 'server', status: 502 }],
    [
      'a connection dropped before the headers',
      { kind: 'drop' },
      { kind: 'connection', retryable: true, outputStarted: false },
    ],
    [
      'a cut before any output',
      { kind: 'cut', afterChunks: 3 },
      { kind: 'stream_cut', retryable: true, outputStarted: false },
    ],
    [
      'a cut inside the output',
      { kind: 'cut', afterChunks: 4 },
      { kind: 'stream_cut', retryable: true, outputStarted: true },
    ],
    [
      'a stream without a terminal event',
      { kind: 'no_terminal' },
      { kind: 'stream_cut', retryable: true, outputStarted: true },
    ],
    [
      'an event that is not JSON',
      { kind: 'malformed', afterChunks: 4 },
      { kind: 'invalid_response', retryable: true, outputStarted: true },
    ],
    [
      'silence before the headers',
      { kind: 'stall' },
      { kind: 'timeout', retryable: true, outputStarted: false },
    ],
    [
      'silence inside the output',
      { kind: 'stall', afterChunks: 4 },
      { kind: 'timeout', retryable: true, outputStarted: true },
    ],
  ];
  it.each(cases)('by %s', async (_, misbehaviour, expected) => {
    const { server, model } = await serve({ misbehave: () => misbehaviour });
    const { error } = await follow(
      model({ idleTimeoutMs: 300 }).stream(ask(), { signal: never() }),
    );
    expect(error).toMatchObject({ name: 'ModelError', provider: 'anthropic', ...expected });
    expect(server.calls()).toHaveLength(1);
  });

  it('by a refused connection', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    await new Promise((resolve) => taken.close(resolve));
    const baseURL = `http://127.0.0.1:${port}`;
    const model = anthropicModel({ model: 'claude-x', apiKey: 'k', baseURL });
    const { error } = await follow(model.stream(ask(), { signal: never() }));
    expect(error).toMatchObject({ kind: 'connection', code: 'ECONNREFUSED', retryable: true });
  });

  it('by a key or a model the server does not know', async () => {
    const { model } = await serve({ apiKey: 'key-2', models: ['claude-y'] });
    const failed = async (options: Partial<AnthropicModelOptions>) =>
      (await follow(model(options).stream(ask(), { signal: never() }))).error;
    expect(await failed({})).toMatchObject({ kind: 'authentication' });
    expect(await failed({ apiKey: 'key-2' })).toMatchObject({ kind: 'not_found' });
    expect(await failed({ apiKey: 'key-2', model: 'claude-y' })).toBeUndefined();
  });
});

describe('cancellation', () => {
  it.each<[string, Misbehaviour]>([
    ['before the headers', { kind: 'stall' }],
    ['before the first text', { kind: 'stall', afterChunks: 2 }],
    ['inside the text', { kind: 'stall', afterChunks: 4 }],
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
