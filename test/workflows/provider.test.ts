import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import type { Providers } from '../../src/models/model-registry.ts';
import type { ScriptedAnswer } from '../../src/models/scripted.ts';
import { startAnthropicServer } from '../../src/testing/anthropic/anthropic-server.ts';
import { startOpenAiChatServer } from '../../src/testing/openai-chat/openai-chat-server.ts';
import { startOpenAiResponsesServer } from '../../src/testing/openai-responses/openai-responses-server.ts';
import type { Misbehaviour } from '../../src/testing/provider-server/misbehaviour.ts';
import type {
  ProviderServer,
  ProviderServerOptions,
} from '../../src/testing/provider-server/provider-server.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import type { Harness } from '../support/harness.ts';
import { startHarness } from '../support/harness.ts';
import { resultTexts } from '../support/transcript.ts';

const said = 'Here I am, at last, with quite a long answer.';
const picture = Buffer.alloc(30_000, 'picture').toString('base64');

const tools = [
  defineTool({
    name: 'weather',
    description: 'Tells the weather.',
    input: z.object({ city: z.string() }),
    effect: 'none',
    execute: ({ city }) => `rain in ${city}`,
  }),
  defineTool({
    name: 'photo',
    description: 'Takes a photo.',
    input: z.object({}),
    effect: 'none',
    execute: () => ({
      content: [
        { kind: 'text', text: 'Look:' },
        {
          kind: 'media',
          media: { mime: 'image/png', source: { kind: 'bytes', bytes: picture } },
        },
      ],
    }),
  }),
];

const providers: readonly {
  readonly name: keyof Providers;
  readonly startServer: (options: ProviderServerOptions) => Promise<ProviderServer>;
}[] = [
  { name: 'openai', startServer: startOpenAiResponsesServer },
  { name: 'openai-chat', startServer: startOpenAiChatServer },
  { name: 'anthropic', startServer: startAnthropicServer },
];

describe.each(providers)('a run on $name', ({ name, startServer }) => {
  let harness: Harness;
  let server: ProviderServer;
  /** How the provider behaves in its next calls; after them it is well. */
  let misbehaviours: Misbehaviour[] = [];

  beforeAll(async () => {
    const work: readonly ScriptedAnswer[] = [
      {
        reasoning: 'Both at once.',
        text: 'Let me see.',
        calls: [
          { name: 'weather', input: { city: 'Bath' } },
          { name: 'photo', input: {} },
          { name: 'weather', input: { town: 'Bath' } },
        ],
      },
      { text: said },
    ];
    server = await startServer({
      script: ({ messages, tools: offered }) => {
        const position = messages.filter(({ role }) => role === 'assistant').length;
        return offered === undefined ? { text: said } : (work[position] ?? {});
      },
      misbehave: () => misbehaviours.shift(),
    });
    const model = `${name}:test`;
    harness = await startHarness({
      agents: {
        talker: defineAgent({ model, instructions: 'Talk.' }),
        worker: defineAgent({ model, instructions: 'Work.', tools }),
      },
      providers: { [name]: { apiKey: 'key', baseURL: server.url } },
    });
  });
  afterAll(async () => {
    await harness.stop();
    await server.close();
  });
  let before = 0;
  beforeEach(() => {
    before = server.calls().length;
  });

  it('calls tools, gives back what they said and showed, and ends with an answer', async () => {
    const run = await harness.everloop.start('worker', { input: 'Hi.' });
    expect(await run.result()).toMatchObject({
      stopReason: 'completed',
      output: said,
      iterations: 2,
      usage: { inputTokens: expect.any(Number), outputTokens: expect.any(Number) },
    });
    const messages = await run.messages();
    const [first] = messages.filter(({ role }) => role === 'assistant');
    expect(first?.parts.map(({ kind }) => kind).filter((kind) => kind !== 'reasoning')).toEqual([
      'text',
      'tool_call',
      'tool_call',
      'tool_call',
    ]);
    const [weather, , refused] = resultTexts(messages);
    expect(weather).toBe('rain in Bath');
    expect(refused).toMatch(/^invalid arguments for weather: city: /);
    const [, second] = server.calls().slice(before);
    expect(second?.body).toContain('rain in Bath');
    expect(second?.body).toContain(picture);
  });

  it.each<Misbehaviour>([
    { kind: 'status', status: 429, headers: { 'retry-after': '1' } },
    { kind: 'status', status: 500 },
    { kind: 'status', status: 529 },
    { kind: 'cut', afterChunks: 3 },
    { kind: 'drop' },
    { kind: 'malformed' },
    { kind: 'no_terminal' },
  ])('is asked again after %o, and completes', async (misbehaviour) => {
    misbehaviours = [misbehaviour];
    const run = await harness.everloop.start('talker', { input: 'Hi.' });
    expect(await run.result()).toMatchObject({ stopReason: 'completed' });
    expect(server.calls().length - before).toBe(2);
    const [, answer] = await run.messages();
    expect(answer?.parts).toMatchObject([{ kind: 'text', text: said }]);
  });

  it.each<[Misbehaviour, string]>([
    [{ kind: 'status', status: 401 }, 'everloop.model.authentication'],
    [{ kind: 'status', status: 403 }, 'everloop.model.permission'],
    [{ kind: 'status', status: 404 }, 'everloop.model.not_found'],
    [{ kind: 'status', status: 400 }, 'everloop.model.bad_request'],
    [{ kind: 'html' }, 'everloop.model.invalid_response'],
  ])('ends with an error after %o, asked once', async (misbehaviour, type) => {
    misbehaviours = [misbehaviour];
    const run = await harness.everloop.start('talker', { input: 'Hi.' });
    expect(await run.result()).toMatchObject({ stopReason: 'error', output: '' });
    expect(server.calls().length - before).toBe(1);
    const { state, status } = await run.snapshot();
    expect(status).toBe('error');
    expect(state?.stop?.errorType).toBe(type);
  });

  it('waits as long as the provider asked, and says so meanwhile', async () => {
    misbehaviours = [{ kind: 'status', status: 429, headers: { 'retry-after': '3600' } }];
    const run = await harness.everloop.start('talker', { input: 'Hi.' });
    await expect.poll(async () => (await run.snapshot()).open[0]?.attempt).toBe(2);
    const [open] = (await run.snapshot()).open;
    expect(open).toMatchObject({
      status: 'scheduled',
      lastFailure: expect.stringMatching(/429|rate/i),
    });
    const retryDelay = (open?.nextAttemptAt ?? 0) - Date.now();
    expect(retryDelay).toBeGreaterThan(3_000_000);
    await run.cancel();
    expect(await run.result()).toMatchObject({ stopReason: 'cancelled', output: '' });
    expect(server.calls().length - before).toBe(1);
  });

  it('has its connection closed when it is cancelled, and keeps the text so far', async () => {
    // Far enough into every API's stream that some text has come, and not all.
    misbehaviours = [{ kind: 'stall', afterChunks: 6 }];
    const run = await harness.everloop.start('talker', { input: 'Hi.' });
    await expect.poll(() => server.calls()[before]?.deltasSent).toBe(6);
    await run.cancel();
    expect(await run.result()).toMatchObject({ stopReason: 'cancelled' });
    await expect.poll(() => server.calls()[before]?.status).toBe('closedByClient');
    const [, answer] = await run.messages();
    expect(answer).toMatchObject({ role: 'assistant', partial: true });
  });
});
