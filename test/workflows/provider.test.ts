import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { defineAgent } from '../../src/agents/define-agent.ts';
import type { OpenAiChatServer } from '../../src/testing/openai-chat/openai-chat-server.ts';
import { startOpenAiChatServer } from '../../src/testing/openai-chat/openai-chat-server.ts';
import type { Misbehaviour } from '../../src/testing/provider-server/misbehaviour.ts';
import type { Harness } from '../support/harness.ts';
import { startHarness } from '../support/harness.ts';

let harness: Harness;
let server: OpenAiChatServer;
/** How the provider behaves in its next calls; after them it is well. */
let misbehaviours: Misbehaviour[] = [];

beforeAll(async () => {
  server = await startOpenAiChatServer({
    script: () => ({ text: 'Here I am, at last, with quite a long answer.' }),
    misbehave: () => misbehaviours.shift(),
  });
  harness = await startHarness({
    agents: { talker: defineAgent({ model: 'openai-chat:test', instructions: 'Talk.' }) },
    providers: { 'openai-chat': { apiKey: 'key', baseURL: server.url } },
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

describe('a run on a provider that misbehaves', () => {
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
    expect(answer?.parts).toEqual([
      { kind: 'text', text: 'Here I am, at last, with quite a long answer.' },
    ]);
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
    expect(status).toBe('failed');
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

  it('has its connection closed when the run is cancelled, and keeps the text so far', async () => {
    misbehaviours = [{ kind: 'stall', afterChunks: 3 }];
    const run = await harness.everloop.start('talker', { input: 'Hi.' });
    await expect.poll(() => server.calls()[before]?.deltasSent).toBe(3);
    await run.cancel();
    expect(await run.result()).toMatchObject({ stopReason: 'cancelled' });
    await expect.poll(() => server.calls()[before]?.status).toBe('closedByClient');
    const [, answer] = await run.messages();
    expect(answer).toMatchObject({ role: 'assistant', partial: true });
  });
});
