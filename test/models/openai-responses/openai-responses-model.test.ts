/** The adapter against the local server, through the vendor's SDK and real sockets. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { systemMessage, userMessage } from '../../../src/chat/create-message.ts';
import type { Message } from '../../../src/chat/message.ts';
import type { ModelError, ModelErrorKind } from '../../../src/chat/model-error.ts';
import type { ReportEntry } from '../../../src/chat/report.ts';
import type { Request } from '../../../src/chat/request.ts';
import { createRequest } from '../../../src/chat/request.ts';
import type { ResponseDelta } from '../../../src/chat/response-delta.ts';
import { readEnvironment } from '../../../src/config-environment.ts';
import { createModelRegistry } from '../../../src/models/model-registry.ts';
import type { OpenAiResponsesModelOptions } from '../../../src/models/openai-responses/openai-responses-model.ts';
import { openAiResponsesModel } from '../../../src/models/openai-responses/openai-responses-model.ts';
import { modelConformance } from '../../../src/testing/model-conformance.ts';
import type {
  OpenAiResponsesServer,
  OpenAiResponsesServerOptions,
} from '../../../src/testing/openai-responses/openai-responses-server.ts';
import { startOpenAiResponsesServer } from '../../../src/testing/openai-responses/openai-responses-server.ts';
import type { Misbehaviour } from '../../../src/testing/provider-server/misbehaviour.ts';

const servers: OpenAiResponsesServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(options: Partial<OpenAiResponsesServerOptions> = {}) {
  const server = await startOpenAiResponsesServer({
    script: [{ text: 'Hello there.' }],
    ...options,
  });
  servers.push(server);
  const model = (more: Partial<OpenAiResponsesModelOptions> = {}) =>
    openAiResponsesModel({ model: 'gpt-x', apiKey: 'key-1', baseURL: server.url, ...more });
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

/** A model whose provider answers with these events, whatever is asked. */
function saying(events: readonly object[], more: Partial<OpenAiResponsesModelOptions> = {}) {
  const text = events
    .map(
      (event) => `event: ${'type' in event ? event.type : ''}\ndata: ${JSON.stringify(event)}\n\n`,
    )
    .join('');
  const fetch = async () =>
    new Response(text, { headers: { 'content-type': 'text/event-stream' } });
  return openAiResponsesModel({ model: 'gpt-x', apiKey: 'k', fetch, ...more });
}

describe('the contract of every model', () => {
  for (const { title, check } of modelConformance) {
    it(title, () =>
      check({
        reasoning: true,
        create: async (script) => {
          const server = await startOpenAiResponsesServer({ script });
          return {
            model: openAiResponsesModel({ model: 'gpt-x', apiKey: 'key-1', baseURL: server.url }),
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
  it('has everything the provider said of it', async () => {
    const { model } = await serve({
      script: [
        {
          reasoning: 'Hm.',
          text: 'Hi.',
          calls: [{ id: 'call_1', name: 'f', arguments: '{"a" : 1}' }],
          usage: { inputTokens: 9, outputTokens: 5, reasoningTokens: 2, cacheReadInputTokens: 4 },
        },
      ],
    });
    const response = await model().generate(ask(), { signal: never() });
    expect(response).toEqual({
      output: {
        message: {
          role: 'assistant',
          parts: [
            {
              kind: 'reasoning',
              text: 'Hm.',
              reasoningState: expect.any(String),
              metadata: {
                'openai/item_id': expect.stringMatching(/^rs_/),
                'openai/output_index': 0,
                'openai/summary_index': 0,
              },
            },
            {
              kind: 'text',
              text: 'Hi.',
              metadata: {
                'openai/item_id': expect.stringMatching(/^msg_/),
                'openai/output_index': 1,
              },
            },
            {
              kind: 'tool_call',
              toolCall: { id: 'call_1', name: 'f', arguments: '{"a" : 1}' },
              metadata: {
                'openai/item_id': expect.stringMatching(/^fc_/),
                'openai/output_index': 2,
              },
            },
          ],
        },
        finishReason: 'tool_calls',
        metadata: { extra: { 'openai/finish_reason': 'completed' } },
      },
      metadata: {
        id: expect.stringMatching(/^resp_\w+$/),
        model: 'gpt-x',
        createdAt: '2026-09-21T14:13:20.000Z',
        usage: {
          inputTokens: 9,
          outputTokens: 5,
          reasoningTokens: 2,
          cacheReadInputTokens: 4,
          cacheWriteInputTokens: 0,
        },
        extra: {
          'openai/service_tier': 'default',
          'openai/usage': expect.objectContaining({ total_tokens: 14 }),
        },
      },
    });
  });

  it('goes back with the next request exactly as it came', async () => {
    const { server, model } = await serve({
      script: [
        {
          reasoning: 'Two at once.',
          text: 'Looking.',
          calls: [
            { id: 'call_1', name: 'f', arguments: '{"id":12345678901234567890}' },
            { id: 'call_2', name: 'g', arguments: '{}' },
          ],
        },
        { text: 'Done.' },
      ],
    });
    const first = await model().generate(ask(), { signal: never() });
    const answer = first.output.message as Message;
    const results: Message[] = ['call_1', 'call_2'].map((id) => ({
      role: 'tool',
      parts: [
        {
          kind: 'tool_result',
          toolResult: { id, name: 'f', output: { content: [{ kind: 'text', text: id }] } },
        },
      ],
    }));
    const request = createRequest({ messages: [...ask().messages, answer, ...results] });
    const { output } = await model().generate(request, { signal: never() });
    expect(output.message?.parts).toMatchObject([{ kind: 'text', text: 'Done.' }]);

    const sent = JSON.parse(server.calls()[1]?.body ?? '{}');
    expect(sent).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] });
    expect(sent).not.toHaveProperty('previous_response_id');
    expect(sent.input).toEqual([
      { role: 'user', content: 'Answer.' },
      {
        type: 'reasoning',
        id: expect.stringMatching(/^rs_/),
        summary: [{ type: 'summary_text', text: 'Two at once.' }],
        encrypted_content: expect.any(String),
      },
      {
        type: 'message',
        id: expect.stringMatching(/^msg_/),
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Looking.', annotations: [] }],
      },
      {
        type: 'function_call',
        id: expect.stringMatching(/^fc_/),
        call_id: 'call_1',
        name: 'f',
        arguments: '{"id":12345678901234567890}',
        status: 'completed',
      },
      {
        type: 'function_call',
        id: expect.stringMatching(/^fc_/),
        call_id: 'call_2',
        name: 'g',
        arguments: '{}',
        status: 'completed',
      },
      { type: 'function_call_output', call_id: 'call_1', output: 'call_1' },
      { type: 'function_call_output', call_id: 'call_2', output: 'call_2' },
    ]);
  });

  it('is whole with its terminal event, though the connection breaks after it', async () => {
    const { server, model } = await serve();
    await model().generate(ask(), { signal: never() });
    const events = server.calls()[0]?.deltasSent ?? 0;
    for (const misbehaviour of [
      { kind: 'cut', afterChunks: events },
      { kind: 'stall', afterChunks: events },
    ] as const) {
      const next = await serve({ misbehave: () => misbehaviour });
      const { output, metadata } = await next
        .model({ idleTimeoutMs: 50 })
        .generate(ask(), { signal: never() });
      expect(output.finishReason).toBe('stop');
      expect(metadata?.usage).toBeDefined();
    }
  });

  it('keeps its connection for the next request', async () => {
    const { server, model } = await serve({ script: () => ({ text: 'Hi.' }) });
    await model().generate(ask(), { signal: never() });
    await vi.waitUntil(() => server.calls()[0]?.status !== 'open');
    expect(server.calls()[0]?.status).toBe('finished');
  });

  it('survives a slow provider that keeps sending', async () => {
    const { model } = await serve({
      misbehave: () => ({ kind: 'slow', beforeMs: 20, betweenMs: 20 }),
    });
    const { output } = await model({ idleTimeoutMs: 2_000 }).generate(ask(), { signal: never() });
    expect(output.finishReason).toBe('stop');
  });

  it('says what it left out of the usage', async () => {
    const entries: ReportEntry[] = [];
    const { metadata } = await saying([
      {
        type: 'response.completed',
        response: {
          status: 'completed',
          usage: {
            input_tokens: 5,
            output_tokens: 2,
            output_tokens_details: { reasoning_tokens: 3 },
          },
        },
      },
    ]).generate(ask(), { signal: never(), report: (entry) => entries.push(entry) });
    expect(metadata?.usage).toEqual({ inputTokens: 5, outputTokens: 2 });
    expect(metadata?.extra?.['openai/usage']).toMatchObject({ output_tokens: 2 });
    expect(entries).toMatchObject([
      { severity: 'omitted', path: 'metadata.usage.reasoningTokens' },
    ]);
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
    for (const sent of [messages, messages, [...messages, userMessage('two')]]) {
      await model().generate(createRequest({ messages: sent, tools }), { signal: never() });
    }
    const [first = '', second, third] = server.calls().map((call) => call.body);
    expect(second).toBe(first);
    expect(third?.startsWith(first.slice(0, first.indexOf('],"store"')))).toBe(true);
  });

  it.each<[string, Partial<Request>, string]>([
    ['an option', { options: { topK: 1 } }, 'options.topK'],
    [
      'a result without a call',
      {
        messages: [
          userMessage('q'),
          {
            role: 'tool',
            parts: [{ kind: 'tool_result', toolResult: { id: 'zz', name: 'f', output: {} } }],
          },
        ],
      },
      'messages[1]',
    ],
  ])('with %s that the API cannot take is refused before any I/O', async (_, more, path) => {
    const { server, model } = await serve();
    const request = createRequest({ messages: [userMessage('q')], ...more });
    const { error } = await follow(model().stream(request, { signal: never() }));
    expect(error).toMatchObject({ name: 'ChatError', path });
    expect(server.calls()).toEqual([]);
  });
});

describe('a failure', () => {
  const kinds: readonly [ModelErrorKind, boolean][] = [
    ['rate_limited', true],
    ['overloaded', true],
    ['timeout', true],
    ['server', true],
    ['authentication', false],
    ['permission', false],
    ['not_found', false],
    ['bad_request', false],
    ['context_too_long', false],
    ['connection', true],
    ['stream_cut', true],
    ['invalid_response', true],
  ];
  it.each(kinds)('of the kind %s is told as such before any output', async (kind, retryable) => {
    const { server, model } = await serve({ script: [{ error: { kind } }] });
    const { error } = await follow(model().stream(ask(), { signal: never() }));
    expect(error).toMatchObject({
      name: 'ModelError',
      provider: 'openai',
      kind,
      retryable,
      outputStarted: false,
    });
    expect(server.calls()).toHaveLength(1);
  });

  it.each(kinds)('of the kind %s is told as such inside the output', async (kind, retryable) => {
    const { model } = await serve({ script: [{ text: 'half of', error: { kind } }] });
    const { error } = await follow(model().stream(ask(), { signal: never() }));
    // What breaks inside an answer is a cut, whatever broke.
    const expected = kind === 'connection' ? 'stream_cut' : kind;
    expect(error).toMatchObject({ kind: expected, retryable, outputStarted: true });
  });

  const cases: [string, Misbehaviour, Partial<ModelError>][] = [
    ['a web page', { kind: 'html' }, { kind: 'invalid_response', retryable: false }],
    ['a stream without a terminal event', { kind: 'no_terminal' }, { kind: 'stream_cut' }],
    ['silence before the headers', { kind: 'stall' }, { kind: 'timeout', outputStarted: false }],
    [
      'silence inside the output',
      { kind: 'stall', afterChunks: 6 },
      { kind: 'timeout', outputStarted: true },
    ],
    [
      'retry-after',
      { kind: 'status', status: 429, headers: { 'retry-after': '3' } },
      { kind: 'rate_limited', retryAfterMs: 3000, requestId: 'req_000000000000000000000000' },
    ],
  ];
  it.each(cases)('by %s', async (_, misbehaviour, expected) => {
    const { model } = await serve({ misbehave: () => misbehaviour });
    const { error } = await follow(
      model({ idleTimeoutMs: 300 }).stream(ask(), { signal: never() }),
    );
    expect(error).toMatchObject({ name: 'ModelError', provider: 'openai', ...expected });
  });

  it('that the response itself names carries its code', async () => {
    const failed = {
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'Slow down' } },
    };
    const { error } = await follow(saying([failed]).stream(ask(), { signal: never() }));
    expect(error).toMatchObject({
      kind: 'rate_limited',
      code: 'rate_limit_exceeded',
      message: 'Slow down',
      provider: 'openai',
    });
  });
});

it('is the provider openai of the registry, with the key that both of its APIs share', () => {
  expect(createModelRegistry({ openai: { apiKey: 'k' } }).named('openai:gpt-x').name).toBe(
    'openai:gpt-x',
  );
  expect(createModelRegistry({}).problemOf('openai:gpt-x')?.hint).toContain('OPENAI_API_KEY');
  const { providers } = readEnvironment({
    OPENAI_API_KEY: 'k',
    OPENAI_BASE_URL: 'http://e.example',
  });
  expect(providers.openai).toEqual({ apiKey: 'k', baseURL: 'http://e.example' });
  expect(providers['openai-chat']).toEqual(providers.openai);
});

describe('cancellation', () => {
  it.each<[string, Misbehaviour]>([
    ['before the headers', { kind: 'stall' }],
    ['before the first text', { kind: 'stall', afterChunks: 1 }],
    ['inside the text', { kind: 'stall', afterChunks: 6 }],
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
