/** The local Chat Completions server, as the vendor's SDK and a plain HTTP client see it. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ScriptedAnswer } from '../../../src/models/scripted.ts';
import type {
  OpenAiChatServer,
  OpenAiChatServerOptions,
} from '../../../src/testing/openai-chat/openai-chat-server.ts';
import { startOpenAiChatServer } from '../../../src/testing/openai-chat/openai-chat-server.ts';

const servers: OpenAiChatServer[] = [];
const folders: string[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
});

async function serve(options: Partial<OpenAiChatServerOptions> = {}) {
  const server = await startOpenAiChatServer({ script: [{ text: 'Hello.' }], ...options });
  servers.push(server);
  const client = new OpenAI({
    apiKey: 'key-1',
    baseURL: server.url,
    maxRetries: 0,
    logLevel: 'off',
  });
  return { server, client };
}

async function logFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'everloop-'));
  folders.push(folder);
  return join(folder, 'calls.jsonl');
}

const events = async (file: string) =>
  (await readFile(file, 'utf8').catch(() => ''))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { event: string; index: number; at: number })
    .map(({ event, index }) => `${event} ${index}`);

const question = { model: 'gpt-x', messages: [{ role: 'user' as const, content: 'q' }] };
const scripted: ScriptedAnswer = {
  text: 'Looking up two things 🎉',
  calls: [
    { id: 'call_1', name: 'look', arguments: '{"at": "a long enough text"}' },
    { id: 'call_2', name: 'look', arguments: '' },
  ],
  usage: { inputTokens: 9, outputTokens: 7, cacheReadInputTokens: 4, reasoningTokens: 2 },
};

describe('an answer', () => {
  it('in one piece is a chat completion', async () => {
    const { client } = await serve({ script: [scripted] });
    const completion = await client.chat.completions.create(question);
    expect(completion).toMatchObject({
      object: 'chat.completion',
      model: 'gpt-x',
      choices: [
        {
          index: 0,
          finish_reason: 'tool_calls',
          message: {
            role: 'assistant',
            content: scripted.text,
            refusal: null,
            tool_calls: [
              {
                id: 'call_1',
                type: 'function',
                function: { name: 'look', arguments: '{"at": "a long enough text"}' },
              },
              { id: 'call_2', type: 'function', function: { name: 'look', arguments: '' } },
            ],
          },
        },
      ],
      usage: {
        prompt_tokens: 9,
        completion_tokens: 7,
        total_tokens: 16,
        prompt_tokens_details: { cached_tokens: 4 },
        completion_tokens_details: { reasoning_tokens: 2 },
      },
    });
  });

  it('in a stream adds up to the same message in the SDK own accumulator', async () => {
    const { client } = await serve({ script: [scripted] });
    const whole = await client.chat.completions.create(question);
    const streamed = await client.chat.completions.stream(question).finalChatCompletion();
    expect(streamed.choices[0]?.message.content).toBe(whole.choices[0]?.message.content);
    expect(streamed.choices[0]?.message.tool_calls).toMatchObject(
      whole.choices[0]?.message.tool_calls ?? [],
    );
    expect(streamed.choices[0]?.finish_reason).toBe('tool_calls');
  });

  it('in a stream begins with the role, is cut into several deltas, and has usage only when asked', async () => {
    const { client } = await serve({ script: [scripted] });
    const chunksOf = async (include_usage: boolean) =>
      Array.fromAsync(
        await client.chat.completions.create({
          ...question,
          stream: true,
          stream_options: { include_usage },
        }),
      );
    const asked = await chunksOf(true);
    expect(asked[0]?.choices[0]?.delta).toMatchObject({ role: 'assistant', content: '' });
    expect(asked.filter((chunk) => chunk.choices[0]?.delta.content).length).toBeGreaterThan(2);
    expect(asked.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 16 } });
    expect(asked.at(-2)).toMatchObject({ choices: [{ finish_reason: 'tool_calls' }], usage: null });
    const notAsked = await chunksOf(false);
    expect(notAsked.every((chunk) => chunk.usage === undefined)).toBe(true);
    expect(notAsked).toHaveLength(asked.length - 1);
  });

  it('is chosen by the conversation: roles, texts, calls and results reach the script', async () => {
    const { client } = await serve({
      script: (request) => ({ text: JSON.stringify(request) }),
    });
    const completion = await client.chat.completions.create({
      model: 'gpt-x',
      tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }],
      messages: [
        { role: 'developer', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { type: 'image_url', image_url: { url: 'data:,' } },
          ],
        },
        {
          role: 'assistant',
          content: '',
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'look', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'c', content: 'seen' },
        { role: 'user', content: '' },
      ],
    });
    expect(JSON.parse(completion.choices[0]?.message.content ?? '')).toEqual({
      messages: [
        { role: 'system', parts: [{ kind: 'text', text: 'Be brief.' }] },
        {
          role: 'user',
          parts: [
            { kind: 'text', text: 'a' },
            { kind: 'text', text: '[image_url]' },
          ],
        },
        {
          role: 'assistant',
          parts: [{ kind: 'tool_call', toolCall: { id: 'c', name: 'look', arguments: '{}' } }],
        },
        {
          role: 'tool',
          parts: [
            {
              kind: 'tool_result',
              toolResult: {
                id: 'c',
                name: 'look',
                output: { content: [{ kind: 'text', text: 'seen' }] },
              },
            },
          ],
        },
      ],
      tools: [{ name: 'look', inputSchema: { type: 'object' } }],
    });
  });
});

describe('a record', () => {
  it('keeps the exact bytes of the body, and headers without credentials', async () => {
    const { server } = await serve();
    const body = '{ "model":"gpt-x",\n  "messages":[{"role":"user","content":"\\u00e9 é"}] }';
    const response = await fetch(`${server.url}/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer secret-key', cookie: 'secret', 'x-mine': 'yes' },
      body,
    });
    await response.json();
    await vi.waitUntil(() => server.calls()[0]?.status === 'finished');
    const [call] = server.calls();
    expect(call).toMatchObject({ index: 0, body, status: 'finished', deltasSent: 0 });
    expect(call?.headers['x-mine']).toBe('yes');
    expect(JSON.stringify(call?.headers)).not.toContain('secret');
  });

  it('counts the chunks of the answer', async () => {
    const { server, client } = await serve();
    const chunks = await Array.fromAsync(
      await client.chat.completions.create({ ...question, stream: true }),
    );
    await vi.waitUntil(() => server.calls()[0]?.status === 'finished');
    expect(server.calls()[0]?.deltasSent).toBe(chunks.length);
  });
});

describe('the log file', () => {
  it('says when a call came in, began to answer and ended', async () => {
    const file = await logFile();
    const { client } = await serve({ logFile: file });
    await client.chat.completions.stream(question).finalChatCompletion();
    await vi.waitUntil(async () => (await events(file)).length === 3);
    expect(await events(file)).toEqual(['call-received 0', 'first-delta 0', 'finished 0']);
  });

  it('says at once when the client goes away', async () => {
    const file = await logFile();
    const { client } = await serve({
      logFile: file,
      misbehave: () => ({ kind: 'stall', afterChunks: 1 }),
    });
    const controller = new AbortController();
    await client.chat.completions.create(
      { ...question, stream: true },
      { signal: controller.signal },
    );
    await vi.waitUntil(async () => (await events(file)).includes('first-delta 0'));
    controller.abort();
    await vi.waitUntil(async () => (await events(file)).includes('closed-by-client 0'));
  });

  it('does not blame the client when the server itself breaks off', async () => {
    const file = await logFile();
    const { server, client } = await serve({
      logFile: file,
      misbehave: ({ index }) => (index === 0 ? { kind: 'cut', afterChunks: 1 } : { kind: 'stall' }),
    });
    const attempt = () => client.chat.completions.stream(question).finalChatCompletion();
    await expect(attempt()).rejects.toThrow();
    const second = attempt();
    const settled = expect(second).rejects.toThrow();
    await vi.waitUntil(() => server.calls().length === 2);
    await servers.splice(0)[0]?.close();
    await settled;
    await vi.waitUntil(() => server.calls()[1]?.status !== 'open');
    expect(server.calls().map((call) => call.status)).toEqual(['cut', 'cut']);
    expect(await events(file)).toEqual(['call-received 0', 'first-delta 0', 'call-received 1']);
  });
});

describe('a refusal to answer', () => {
  it.each<[string, Partial<OpenAiChatServerOptions>, number, string | null]>([
    ['a wrong key', { apiKey: 'other' }, 401, 'invalid_api_key'],
    ['an unknown model', { models: ['gpt-y'] }, 404, 'model_not_found'],
    ['a script that has run out', { script: [] }, 400, null],
  ])('of %s has the shape of the API', async (_, options, status, code) => {
    const { server } = await serve(options);
    const response = await fetch(`${server.url}/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer key-1' },
      body: JSON.stringify(question),
    });
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({
      error: { message: expect.any(String), type: 'invalid_request_error', param: null, code },
    });
  });

  it('of another path or a body that is no request names it', async () => {
    const { server } = await serve();
    const other = await fetch(`${server.url}/embeddings`, { method: 'POST', body: '{}' });
    expect(other.status).toBe(404);
    const odd = await fetch(`${server.url}/chat/completions`, { method: 'POST', body: '{' });
    expect(odd.status).toBe(400);
    expect(server.calls()).toHaveLength(1);
  });
});

describe('a script', () => {
  const ask = async (script: ScriptedAnswer, stream: boolean) => {
    const { client } = await serve({ script: [script] });
    const answer = stream
      ? client.chat.completions.stream(question).finalChatCompletion()
      : client.chat.completions.create(question);
    return answer.then(
      () => undefined,
      (error: unknown) => error,
    );
  };

  it.each([true, false])('fails the call where it says so (stream: %s)', async (stream) => {
    const error = { kind: 'overloaded', retryAfterMs: 90 } as const;
    expect(await ask({ error }, stream)).toMatchObject({ status: 503, type: 'overloaded_error' });
  });

  it('fails inside the answer after what it says', async () => {
    const error = { kind: 'rate_limited', message: 'slow down' } as const;
    expect(await ask({ text: 'half', error }, true)).toMatchObject({
      status: undefined,
      code: 'rate_limit_exceeded',
      message: 'slow down',
    });
  });

  it('is awaited before the answer, and let go when the client leaves', async () => {
    const { promise, resolve } = Promise.withResolvers<AbortSignal>();
    const { server, client } = await serve({
      script: [
        {
          text: 'late',
          waitFor: (signal) =>
            new Promise((_, reject) => {
              resolve(signal);
              signal.addEventListener('abort', () => reject(signal.reason));
            }),
        },
      ],
    });
    const controller = new AbortController();
    const answer = client.chat.completions.create(question, { signal: controller.signal });
    const settled = expect(answer).rejects.toThrow();
    const signal = await promise;
    expect(server.calls()[0]?.status).toBe('open');
    controller.abort();
    await settled;
    await vi.waitUntil(() => signal.aborted);
    expect(server.calls()[0]).toMatchObject({ status: 'closedByClient', deltasSent: 0 });
  });
});
