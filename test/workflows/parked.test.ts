import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { textOf } from '../../src/chat/text-of.ts';
import { Everloop } from '../../src/client/everloop.ts';
import type { RunHandle } from '../../src/client/run-handle.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { defineExternalTool, defineTool } from '../../src/tools/define-tool.ts';
import type { Harness } from '../support/harness.ts';
import { startHarness } from '../support/harness.ts';
import { resultTexts } from '../support/transcript.ts';

const burnt: string[] = [];
const burn = defineTool({
  name: 'burn',
  description: 'Asks first.',
  input: z.object({}),
  approve: 'always',
  execute(_input, { run }) {
    burnt.push(run.callId);
    return 'burnt';
  },
});
const quick = defineTool({
  name: 'quick',
  description: 'Is quick.',
  input: z.object({}),
  effect: 'none',
  execute: () => 'x'.repeat(5_000),
});
const ask = defineExternalTool({ name: 'ask', description: 'Asks.', input: z.object({}) });

const agents = {
  waiter: defineAgent({
    model: scriptedModel(
      [
        {
          calls: [
            { name: 'burn', input: {} },
            { name: 'quick', input: {} },
            { name: 'ask', input: {} },
          ],
        },
        { text: 'Done.' },
      ],
      { name: 'waiter' },
    ),
    instructions: '',
    tools: [burn, quick, ask],
  }),
};

/** More than a history holds before the run goes on in a new Temporal run. */
const flood = 1_100;

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ agents });
});
afterAll(async () => {
  await harness.stop();
});

function statusOf(run: RunHandle) {
  return expect.poll(async () => (await run.snapshot()).status, { timeout: 20_000 });
}

async function generation(run: RunHandle): Promise<number | undefined> {
  return (await run.snapshot()).state?.generation;
}

/** Signals that the run refuses: they grow its history and nothing else. */
async function makeItGrow(run: RunHandle): Promise<void> {
  const handle = harness.client.workflow.getHandle(run.id);
  for (let sent = 0; sent < flood; sent += 50) {
    await Promise.all(Array.from({ length: 50 }, () => handle.signal('resume')));
  }
}

async function awaitingCalls(run: RunHandle): Promise<readonly (readonly [string, string])[]> {
  const { state } = await run.snapshot();
  return (state?.pendingToolCalls ?? []).flatMap((pending) =>
    pending.status === 'awaiting' ? [[pending.call.name, pending.call.id] as const] : [],
  );
}

describe('a run that no Worker has begun yet', () => {
  it('takes what came before it in one order, the same as history tells', async () => {
    const taskQueue = `late-${crypto.randomUUID()}`;
    const { client } = harness;
    const run = await Everloop.from(client, { taskQueue }).start('waiter', { input: 'Go.' });
    const handle = client.workflow.getHandle(run.id);
    const updated = run.send('By Update.', { id: 'update' });
    // The Update waits at the server for a Worker; nothing tells when it has got there.
    await delay(500);
    await handle.signal('pause', { reason: 'early' });
    await handle.signal('send', { message: 'First.' });
    await handle.signal('resume');
    await handle.signal('send', { message: 'Second.' });
    await handle.signal('fork', 7);
    const late = await startHarness({ agents, taskQueue });
    expect(await updated).toEqual({ position: 3 });
    await statusOf(run).toBe('waiting:approval');
    const { state } = await run.snapshot();
    expect(state?.refused).toBe(1);
    expect((await run.messages()).slice(0, 4).map(textOf)).toEqual([
      'Go.',
      'First.',
      'Second.',
      'By Update.',
    ]);
    await run.cancel();
    await run.result();
    await late.stop();
  });
});

describe('a run that stands still', () => {
  it('goes on in new Temporal runs while its calls wait, with what is settled, and with the messages that came', async () => {
    const run = await harness.everloop.start('waiter', { input: 'Go.' });
    await statusOf(run).toBe('waiting:approval');
    await run.send('One.', { id: 'one' });
    await makeItGrow(run);
    await expect.poll(() => generation(run), { timeout: 20_000 }).toBeGreaterThan(1);
    await run.send('Two.', { id: 'two' });
    expect(await run.send('One.', { id: 'one' })).toEqual({ position: 1 });
    const calls = new Map(await awaitingCalls(run));
    expect([...calls.keys()]).toEqual(['burn', 'ask']);
    await run.answer(calls.get('ask') ?? '', 'Because.');
    await statusOf(run).toBe('waiting:approval');
    await makeItGrow(run);
    await expect.poll(() => generation(run), { timeout: 20_000 }).toBeGreaterThan(2);
    burnt.length = 0;
    await run.decide(calls.get('burn') ?? '', { decision: 'allow' });
    expect((await run.result()).stopReason).toBe('completed');
    expect(burnt).toEqual([calls.get('burn')]);
    const messages = await run.messages();
    expect(resultTexts(messages)).toEqual(['burnt', 'x'.repeat(5_000), 'Because.']);
    expect(messages.map(({ role }) => role).join(' ')).toBe(
      'user assistant tool tool tool user user assistant',
    );
    const verdict = await run.replay();
    expect(verdict.ok ? 'replays' : verdict.problem).toBe('replays');
    const types = (await Array.fromAsync(run.events())).map(({ type }) => type);
    expect(types.filter((type) => type === 'approval-request' || type === 'question')).toHaveLength(
      2,
    );
    expect(types.filter((type) => type === 'iteration-end')).toHaveLength(2);
  }, 90_000);

  it('goes on in new Temporal runs while it is paused', async () => {
    const run = await harness.everloop.start('waiter', { input: 'Go.' });
    await run.pause({ reason: 'later' });
    await statusOf(run).toMatch(/waiting|paused/);
    for (const [name, id] of await awaitingCalls(run)) {
      await (name === 'burn' ? run.decide(id, { decision: 'deny' }) : run.answer(id, ''));
    }
    await statusOf(run).toBe('paused');
    const handle = harness.client.workflow.getHandle(run.id);
    for (let sent = 0; sent < flood; sent += 50) {
      await Promise.all(Array.from({ length: 50 }, () => handle.signal('pause')));
    }
    await expect.poll(() => generation(run), { timeout: 20_000 }).toBeGreaterThan(1);
    expect((await run.snapshot()).status).toBe('paused');
    await run.resume();
    expect((await run.result()).output).toBe('Done.');
    const verdict = await run.replay();
    expect(verdict.ok ? 'replays' : verdict.problem).toBe('replays');
  }, 90_000);
});
