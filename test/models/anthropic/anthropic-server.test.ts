/** The local Messages server, as the vendor's SDK and a plain HTTP client see it. */
import Anthropic from '@anthropic-ai/sdk';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ScriptedAnswer } from '../../../src/models/scripted.ts';
import type {
  AnthropicServer,
  AnthropicServerOptions,
} from '../../../src/testing/anthropic/anthropic-server.ts';
import { startAnthropicServer } from '../../../src/testing/anthropic/anthropic-server.ts';

const servers: AnthropicServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(options: Partial<AnthropicServerOptions> = {}) {
  const server = await startAnthropicServer({ script: [{ text: 'Hello.' }], ...options });
  servers.push(server);
  const client = new Anthropic({
    apiKey: 'key-1',
    baseURL: server.url,
    maxRetries: 0,
    logLevel: 'off',
    openTelemetry: false,
  });
  return { server, client };
}

const question = {
  model: 'claude-x',
  max_tokens: 100,
  messages: [{ role: 'user' as const, content: 'q' }],
};
const scripted: ScriptedAnswer = {
  reasoning: 'Two things then.',
  text: 'Looking up two things 🎉',
  calls: [
    { id: 'call_1', name: 'look', arguments: '{"at": "a long enough text"}' },
    { id: 'call_2', name: 'look', arguments: '' },
  ],
  usage: { inputTokens: 9, outputTokens: 7, cacheReadInputTokens: 4, reasoningTokens: 2 },
};

describe('an answer', () => {
  it('in one piece is a message', async () => {
    const { client } = await serve({ script: [scripted] });
    expect(await client.messages.create(question)).toMatchObject({
      type: 'message',
      role: 'assistant',
      model: 'claude-x',
      content: [
        {
          type: 'thinking',
          thinking: scripted.reasoning,
          signature: expect.stringMatching(/^\w+$/),
        },
        { type: 'text', text: scripted.text },
        { type: 'tool_use', id: 'call_1', name: 'look', input: { at: 'a long enough text' } },
        { type: 'tool_use', id: 'call_2', name: 'look', input: {} },
      ],
      stop_reason: 'tool_use',
      usage: {
        input_tokens: 5,
        cache_read_input_tokens: 4,
        cache_creation_input_tokens: null,
        output_tokens: 7,
        output_tokens_details: { thinking_tokens: 2 },
      },
    });
  });

  it('in a stream adds up to the same message in the SDK own accumulator', async () => {
    const { client } = await serve({ script: [scripted] });
    const whole = await client.messages.create(question);
    const streamed = await client.messages.stream(question).finalMessage();
    const texts = ({ content }: Anthropic.Message) =>
      content.map((block) => (block.type === 'thinking' ? block.thinking : block));
    expect(texts(streamed)).toMatchObject(texts(whole));
    expect(streamed.stop_reason).toBe('tool_use');
    expect(streamed.usage).toMatchObject({ input_tokens: 5, output_tokens: 7 });
  });

  it('in a stream has every block framed by its events, and is cut into several pieces', async () => {
    const { client } = await serve({ script: [scripted] });
    const stream = await client.messages.create({ ...question, stream: true });
    const events = await Array.fromAsync(stream);
    const types = events.map(({ type }) => type);
    expect(types[0]).toBe('message_start');
    expect(types.slice(-2)).toEqual(['message_delta', 'message_stop']);
    const count = (wanted: string) => types.filter((type) => type === wanted).length;
    expect(count('content_block_start')).toBe(4);
    expect(count('content_block_stop')).toBe(4);
    expect(count('content_block_delta')).toBeGreaterThan(8);
  });

  it('is chosen by the conversation: roles, texts, calls and results reach the script', async () => {
    const { client } = await serve({ script: (request) => ({ text: JSON.stringify(request) }) });
    const { content } = await client.messages.create({
      ...question,
      system: 'Be brief.',
      tools: [{ name: 'look', input_schema: { type: 'object' } }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { type: 'image', source: { type: 'url', url: 'https://example.com/x.png' } },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 's' },
            { type: 'tool_use', id: 'c', name: 'look', input: { at: 1 } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'c', content: 'seen', is_error: true },
            { type: 'text', text: 'b' },
          ],
        },
      ],
    });
    const [block] = content;
    expect(JSON.parse(block?.type === 'text' ? block.text : '')).toEqual({
      messages: [
        { role: 'system', parts: [{ kind: 'text', text: 'Be brief.' }] },
        {
          role: 'user',
          parts: [
            { kind: 'text', text: 'a' },
            { kind: 'text', text: '[image]' },
          ],
        },
        {
          role: 'assistant',
          parts: [
            { kind: 'reasoning', text: 'hm' },
            { kind: 'tool_call', toolCall: { id: 'c', name: 'look', arguments: '{"at":1}' } },
          ],
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
                isError: true,
              },
            },
          ],
        },
        { role: 'user', parts: [{ kind: 'text', text: 'b' }] },
      ],
      tools: [{ name: 'look', inputSchema: { type: 'object' } }],
    });
  });
});

describe('a record', () => {
  it('has no credentials in either header', async () => {
    const { server } = await serve();
    const body = JSON.stringify(question);
    const headers = { authorization: 'Bearer secret-1', 'x-api-key': 'secret-2', 'x-mine': 'yes' };
    await fetch(`${server.url}/v1/messages`, { method: 'POST', headers, body });
    await vi.waitUntil(() => server.calls().length === 1);
    const [call] = server.calls();
    expect(call).toMatchObject({ body, headers: { 'x-mine': 'yes' } });
    expect(JSON.stringify(call?.headers)).not.toContain('secret');
  });
});

describe('a refusal to answer', () => {
  it.each<[string, Partial<AnthropicServerOptions>, number, string]>([
    ['a wrong key', { apiKey: 'other' }, 401, 'authentication_error'],
    ['an unknown model', { models: ['claude-y'] }, 404, 'not_found_error'],
    ['a script that has run out', { script: [] }, 400, 'invalid_request_error'],
  ])('of %s has the shape of the API', async (_, options, status, type) => {
    const { server } = await serve(options);
    const response = await fetch(`${server.url}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': 'key-1' },
      body: JSON.stringify(question),
    });
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({
      type: 'error',
      error: { type, message: expect.any(String) },
    });
  });

  it('of another path or a body that is no request names it', async () => {
    const { server } = await serve();
    const other = await fetch(`${server.url}/v1/complete`, { method: 'POST', body: '{}' });
    expect(other.status).toBe(404);
    const odd = await fetch(`${server.url}/v1/messages`, { method: 'POST', body: '{"model":"m"}' });
    expect(odd.status).toBe(400);
    expect(server.calls()).toHaveLength(1);
  });
});

describe('a script', () => {
  const ask = async (script: ScriptedAnswer) => {
    const { client } = await serve({ script: [script] });
    const stream = client.messages.stream(question);
    return stream.finalMessage().then(
      () => undefined,
      (error: unknown) => error,
    );
  };

  it('fails the call where it says so', async () => {
    expect(await ask({ error: { kind: 'overloaded' } })).toMatchObject({
      status: 529,
      type: 'overloaded_error',
    });
    expect(await ask({ error: { kind: 'context_too_long' } })).toMatchObject({
      status: 400,
      message: expect.stringContaining('prompt is too long'),
    });
  });

  it('fails inside the answer after what it says', async () => {
    const error = { kind: 'rate_limited', message: 'slow down' } as const;
    expect(await ask({ text: 'half', error })).toMatchObject({
      status: undefined,
      type: 'rate_limit_error',
      message: expect.stringContaining('slow down'),
    });
  });

  it('stalls after as many pieces as it says, whatever frames them', async () => {
    const { server, client } = await serve({
      script: [{ reasoning: 'a b', text: 'c d', stallAfter: 3 }],
    });
    const stream = await client.messages.create({ ...question, stream: true });
    const pieces: unknown[] = [];
    for await (const event of stream) {
      if (event.type !== 'content_block_delta') continue;
      if (event.delta.type !== 'signature_delta') pieces.push(event.delta);
      if (pieces.length === 3) break;
    }
    expect(pieces).toMatchObject([{ thinking: 'a ' }, { thinking: 'b' }, { text: 'c ' }]);
    await vi.waitUntil(() => server.calls()[0]?.status === 'closedByClient');
    // message_start, ping, thinking (start, 2 pieces, signature, stop), text (start, 1 piece)
    expect(server.calls()[0]?.deltasSent).toBe(9);
  });
});
