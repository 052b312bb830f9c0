/** The local Responses server, seen through the vendor's own SDK and its own accumulator. */
import OpenAI from 'openai';
import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import { afterEach, describe, expect, it } from 'vitest';
import type { Request } from '../../../src/chat/request.ts';
import type { ScriptedAnswer } from '../../../src/models/scripted.ts';
import type {
  OpenAiResponsesServer,
  OpenAiResponsesServerOptions,
} from '../../../src/testing/openai-responses/openai-responses-server.ts';
import { startOpenAiResponsesServer } from '../../../src/testing/openai-responses/openai-responses-server.ts';

const servers: OpenAiResponsesServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(options: OpenAiResponsesServerOptions) {
  const server = await startOpenAiResponsesServer(options);
  servers.push(server);
  const client = new OpenAI({ apiKey: 'key-1', baseURL: server.url, maxRetries: 0 });
  return { server, client };
}

const full: ScriptedAnswer = {
  reasoning: 'Let me think about it.',
  text: 'Some words first.',
  refusal: 'And a refusal.',
  calls: [
    { id: 'call_1', name: 'f', arguments: '{"a":"a long argument"}' },
    { id: 'call_2', name: 'g', arguments: '' },
  ],
  usage: { inputTokens: 10, outputTokens: 5, reasoningTokens: 3, cacheReadInputTokens: 4 },
};

const ask = { model: 'gpt-x', input: 'Go.' } as const;

async function eventsOf(client: OpenAI): Promise<ResponseStreamEvent[]> {
  const events: ResponseStreamEvent[] = [];
  for await (const event of await client.responses.create({ ...ask, stream: true })) {
    events.push(event);
  }
  return events;
}

describe('an answer', () => {
  it('adds up to the same response as the answer in one piece', async () => {
    const { client } = await serve({ script: [full] });
    const streamed = await client.responses.stream(ask).finalResponse();
    const whole = await client.responses.create(ask);
    expect(whole.output.map((item) => item.type)).toEqual([
      'reasoning',
      'message',
      'function_call',
      'function_call',
    ]);
    expect(streamed.output_text).toBe('Some words first.');
    // The SDK adds members of its own to what it parsed.
    expect(streamed.output).toMatchObject(whole.output);
    expect(streamed.usage).toEqual(whole.usage);
    expect(whole.usage).toEqual({
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 4, cache_write_tokens: 0 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 3 },
      total_tokens: 15,
    });
  });

  it('numbers its events, and frames each text and each item', async () => {
    const { client } = await serve({ script: [full] });
    const events = await eventsOf(client);
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, at) => at));
    const kinds = events.map((event) => event.type).filter((type) => !type.endsWith('.delta'));
    const text = ['response.content_part.added', 'response.output_text.done'];
    const call = [
      'response.output_item.added',
      'response.function_call_arguments.done',
      'response.output_item.done',
    ];
    expect(kinds).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.reasoning_summary_part.added',
      'response.reasoning_summary_text.done',
      'response.reasoning_summary_part.done',
      'response.output_item.done',
      'response.output_item.added',
      ...text,
      'response.content_part.done',
      'response.content_part.added',
      'response.refusal.done',
      'response.content_part.done',
      'response.output_item.done',
      ...call,
      ...call,
      'response.completed',
    ]);
  });

  it.each([
    ['length', 'max_output_tokens'],
    ['content_filter', 'content_filter'],
    ['other', 'max_messages'],
  ] as const)('with the finish reason %s is incomplete by %s', async (finishReason, reason) => {
    const { client } = await serve({ script: [{ text: 'half', finishReason }] });
    const response = await client.responses.create(ask);
    expect(response).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason },
      output: [{ type: 'message', status: 'incomplete' }],
    });
    expect((await eventsOf(client)).at(-1)?.type).toBe('response.incomplete');
  });
});

describe('a request', () => {
  it('reaches the script as the protocol says it', async () => {
    let seen: Request | undefined;
    const { client } = await serve({
      script: (request) => {
        seen = request;
        return { text: 'ok' };
      },
    });
    await client.responses.create({
      model: 'gpt-x',
      instructions: 'Be brief.',
      tools: [{ type: 'function', name: 'f', parameters: { type: 'object' }, strict: false }],
      input: [
        { role: 'developer', content: 'Be kind.' },
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'q' },
            { type: 'input_image', detail: 'auto', file_id: 'file-1' },
          ],
        },
        {
          type: 'reasoning',
          id: 'rs_1',
          summary: [{ type: 'summary_text', text: 'hm' }],
          encrypted_content: 'EE',
        },
        { role: 'assistant', content: 'Looking.' },
        { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a":1}' },
        { type: 'function_call_output', call_id: 'c1', output: 'one' },
        {
          type: 'function_call_output',
          call_id: 'c1',
          output: [{ type: 'input_text', text: 'two' }],
        },
      ],
    });
    expect(seen?.tools).toEqual([{ name: 'f', inputSchema: { type: 'object' } }]);
    const answer = (words: string) => ({
      role: 'tool',
      parts: [
        {
          kind: 'tool_result',
          toolResult: { id: 'c1', name: 'f', output: { content: [{ kind: 'text', text: words }] } },
        },
      ],
    });
    expect(seen?.messages).toEqual([
      { role: 'system', parts: [{ kind: 'text', text: 'Be brief.' }] },
      { role: 'system', parts: [{ kind: 'text', text: 'Be kind.' }] },
      {
        role: 'user',
        parts: [
          { kind: 'text', text: 'q' },
          { kind: 'text', text: '[input_image]' },
        ],
      },
      {
        role: 'assistant',
        parts: [
          { kind: 'reasoning', text: 'hm', reasoningState: 'RUU=' },
          { kind: 'text', text: 'Looking.' },
          { kind: 'tool_call', toolCall: { id: 'c1', name: 'f', arguments: '{"a":1}' } },
        ],
      },
      answer('one'),
      answer('two'),
    ]);
  });

  it('that is none gets an error in the shape of the API', async () => {
    const { client, server } = await serve({ script: [], apiKey: 'key-1', models: ['gpt-x'] });
    await expect(client.responses.create(ask)).rejects.toMatchObject({ status: 400 });
    await expect(client.responses.create({ ...ask, model: 'other' })).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
    });
    const stranger = new OpenAI({ apiKey: 'key-2', baseURL: server.url, maxRetries: 0 });
    await expect(stranger.responses.create(ask)).rejects.toMatchObject({
      status: 401,
      code: 'invalid_api_key',
    });
    await expect(
      client.chat.completions.create({ model: 'gpt-x', messages: [] }),
    ).rejects.toMatchObject({ status: 404 });
  });
});

it('says an error inside the stream as an event of its own', async () => {
  const { client } = await serve({
    script: [{ text: 'half', error: { kind: 'rate_limited', message: 'Slow down' } }],
  });
  await expect(eventsOf(client)).rejects.toMatchObject({
    code: 'rate_limit_exceeded',
    message: 'Slow down',
  });
});
