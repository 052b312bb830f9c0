import { WorkflowUpdateFailedError } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { defineHook } from '../../src/agents/define-hook.ts';
import { checkSequencing } from '../../src/chat/check-sequencing.ts';
import { toMessage } from '../../src/chat/to-message.ts';
import { Everloop } from '../../src/client/everloop.ts';
import type { RunHandle } from '../../src/client/run-handle.ts';
import { connectClient } from '../../src/engine/connect.ts';
import { EverloopError } from '../../src/everloop-error.ts';
import type { PendingToolCall } from '../../src/loop/loop-state.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import type { BlobStore } from '../../src/storage/blob-store.ts';
import { createMemoryBlobStore } from '../../src/storage/memory-blob-store.ts';
import { assertReplays } from '../../src/testing/assert-replays.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { Gate } from '../support/gate.ts';
import type { Harness } from '../support/harness.ts';
import { sharedBundle, startHarness } from '../support/harness.ts';
import { resultTexts } from '../support/transcript.ts';
import { begun, hostileAgents, randomFrom } from './hostile-agents.ts';

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
/** Holds every call that was allowed. */
const hold = new Gate();
const held = defineTool({
  name: 'held',
  description: 'Asks first, and takes long.',
  input: z.object({}),
  approve: 'always',
  async execute(_input, { run, signal }) {
    burnt.push(run.callId);
    await hold.passed(signal);
    return 'held';
  },
});
const early = defineTool({
  name: 'early',
  description: 'Ends while others wait.',
  input: z.object({}),
  effect: 'none',
  execute: () => 'early',
});

/** Holds what is written to the store once it is closed. */
const writes = new Gate();
let areWritesHeld = false;
function gatedStore(): BlobStore {
  const store = createMemoryBlobStore();
  return {
    ...store,
    async put(bytes, options) {
      if (areWritesHeld) await writes.passed(new AbortController().signal);
      return await store.put(bytes, options);
    },
  };
}

function calling(name: string, ...tools: readonly string[]) {
  const calls = tools.map((tool) => ({ name: tool, input: {} }));
  return scriptedModel([{ calls }, { text: 'Done.' }, { text: 'Done.' }], { name });
}

const agents = {
  ...hostileAgents,
  waiter: defineAgent({
    model: calling('waiter', 'burn', 'burn', 'early'),
    instructions: '',
    tools: [burn, early],
  }),
  holder: defineAgent({
    model: calling('holder', 'held', 'burn'),
    instructions: '',
    tools: [held, burn],
  }),
  broken: defineAgent({
    model: calling('broken', 'burn', 'early'),
    instructions: '',
    tools: [burn, early],
    hooks: [
      defineHook({
        name: 'broken',
        onToolEnd: ({ call }) => {
          if (call.name === 'early') throw new Error('broken');
        },
      }),
    ],
  }),
};

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ agents, blobs: gatedStore() });
});
afterAll(async () => {
  await harness.stop();
}, 300_000);

async function awaiting(
  run: RunHandle,
): Promise<readonly Extract<PendingToolCall, { status: 'awaiting' }>[]> {
  const { state } = await run.snapshot();
  return (state?.pendingToolCalls ?? []).flatMap((pending) =>
    pending.status === 'awaiting' ? [pending] : [],
  );
}

/** What comes too late, or twice, is refused: that is no fault here. */
async function tell(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (error instanceof WorkflowUpdateFailedError) return false;
    const code = error instanceof EverloopError ? error.code : '';
    if (['rejected', 'run_ending', 'not_found', 'inbox_full'].includes(code)) return false;
    if (error instanceof Error && /completed|not found/.test(error.message)) return false;
    throw error;
  }
}

async function expectValid(run: RunHandle): Promise<void> {
  const messages = await run.messages();
  expect(checkSequencing(messages.map(toMessage))).toEqual([]);
  expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length);
  await assertReplays(harness.client, run.id, { bundle: sharedBundle() });
}

const rubbish = [undefined, null, 7, 'text', {}, { callId: 'x' }, { message: 1 }, { tokens: -3 }];

/** Does something to the run. */
async function disturb(run: RunHandle, random: () => number, step: number): Promise<void> {
  const handle = harness.client.workflow.getHandle(run.id);
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
  const dice = random();
  if (dice < 0.5) {
    const pending = pick(await awaiting(run));
    if (pending === undefined) return;
    const { call, wait } = pending;
    // By Signal: a refused Update leaves a Workflow task that a replay does not see, and with it another time.
    if (wait.kind === 'answer') {
      await tell(handle.signal('answer', { callId: call.id, answer: 'Yes.' }));
      return;
    }
    const kind = pick(['allow', 'allow', 'deny', 'edit'] as const) ?? 'allow';
    const decision = {
      decision: kind,
      ...(kind === 'edit' && { input: { text: 'edited' } }),
      ...(random() < 0.2 && { remember: true }),
    };
    await tell(handle.signal('decide', { callId: call.id, ...decision }));
  } else if (dice < 0.75) {
    const mode = pick(['queue', 'steer', 'interrupt'] as const) ?? 'queue';
    const message = `message ${step}`;
    if (random() < 0.3) await tell(handle.signal('send', { id: `m${step}`, message, mode }));
    else await tell(run.send(message, { id: `m${step}`, mode }));
  } else if (dice < 0.83) await tell(handle.signal('pause'));
  else if (dice < 0.9) await tell(handle.signal('resume'));
  else if (dice < 0.97) {
    const name = pick(['send', 'decide', 'answer', 'pause', 'extendBudget', 'fork', 'odd']) ?? '';
    await tell(handle.signal(name, pick(rubbish)));
  } else if (dice < 0.98) await tell(run.cancel());
  else await tell(handle.signal('extendBudget', { toolCalls: 1 }));
}

async function whereItIs(run: RunHandle): Promise<string> {
  const { status, state, open } = await run.snapshot();
  const { pendingToolCalls, phase, paused, inbox } = state ?? {};
  const { events } = await harness.history(run.id);
  return JSON.stringify({
    status,
    phase,
    paused,
    inbox,
    pendingToolCalls,
    open,
    events: events.slice(-25),
  });
}

/** Gives the run whatever it waits for, until it ends. */
async function see(run: RunHandle): Promise<void> {
  let isOver = false;
  void run.result().finally(() => {
    isOver = true;
  });
  for (let tries = 0; !isOver; tries += 1) {
    if (tries > 200) throw new Error(`the run does not end: ${await whereItIs(run)}`);
    const { status } = await run.snapshot();
    if (status === 'paused') await tell(run.resume());
    // Those with a deadline come to an end by themselves.
    const forEver = (await awaiting(run)).filter(({ wait }) => wait.deadline === undefined);
    for (const { call, wait } of forEver) {
      await tell(
        wait.kind === 'answer'
          ? run.answer(call.id, 'At last.')
          : run.decide(call.id, { decision: 'allow' }),
      );
    }
    // A model that has stalled goes on when it is steered.
    if (status === 'running') {
      const { open, state } = await run.snapshot();
      if (state?.phase.kind === 'model' && open.length > 0) {
        await tell(run.send('Go on.', { mode: 'steer' }));
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
}

describe('a run that is controlled at random', () => {
  const names = ['plain', 'watched', 'serial', 'poor'] as const;
  const seeds = Array.from(
    { length: Number(process.env['EVERLOOP_TEST_RUNS'] ?? 12) },
    (_, seed) => seed,
  );

  it('ends with a valid transcript, replays, and does nothing twice, whatever people do', async () => {
    begun.length = 0;
    const first = Number(process.env['EVERLOOP_TEST_SEED'] ?? 1) * 1_000;
    const runs = seeds.map((seed) => async () => {
      const random = randomFrom(first + seed);
      const name = names[seed % names.length] ?? 'plain';
      const run = await harness.everloop.start(name, { input: `seed ${first + seed}` });
      for (let step = 0; step < 14; step += 1) {
        await disturb(run, random, step);
        if (random() < 0.5) await new Promise((resolve) => setTimeout(resolve, 80 * random()));
      }
      await see(run).catch((error: unknown) => {
        throw new Error(
          `seed ${first + seed} (${name}, ${run.id}): ${String(error).slice(0, 9_000)}`,
        );
      });
      const { stopReason } = await run.result();
      await expectValid(run).catch((error: unknown) => {
        throw new Error(`seed ${first + seed} (${name}, ${run.id}): ${String(error)}`, {
          cause: error,
        });
      });
      return stopReason;
    });
    const reasons: string[] = [];
    const problems: unknown[] = [];
    const next = async () => {
      for (let work = runs.shift(); work !== undefined; work = runs.shift()) {
        await work().then(
          (reason) => reasons.push(reason),
          (error: unknown) => problems.push(error),
        );
      }
    };
    await Promise.all(Array.from({ length: 6 }, next));
    expect(problems).toEqual([]);
    expect(reasons).toHaveLength(seeds.length);
    expect(new Set(begun).size).toBe(begun.length);
  }, 240_000);
});

describe('a decision', () => {
  it('of one of two clients counts when both decide at once', async () => {
    const { client, connection } = await connectClient({
      address: inject('temporalAddress'),
      namespace: 'default',
    });
    const other = Everloop.from(client, { taskQueue: harness.taskQueue });
    const run = await harness.everloop.start('waiter', { input: 'Go.' });
    await expect.poll(() => awaiting(run), { timeout: 20_000 }).toHaveLength(2);
    burnt.length = 0;
    for (const { call } of await awaiting(run)) {
      const both = await Promise.all([
        tell(run.decide(call.id, { decision: 'allow', by: 'ann' })),
        tell(other.run(run.id).decide(call.id, { decision: 'deny', by: 'bob' })),
      ]);
      expect(both.filter((counts) => counts)).toHaveLength(1);
    }
    await run.result();
    const texts = resultTexts(await run.messages());
    expect(texts.filter((text) => text === 'burnt')).toHaveLength(burnt.length);
    await expectValid(run);
    await connection.close();
  });

  it('by Signal that makes no sense is refused, and the run waits on', async () => {
    const run = await harness.everloop.start('waiter', { input: 'Go.' });
    await expect.poll(() => awaiting(run), { timeout: 20_000 }).toHaveLength(2);
    const [first] = await awaiting(run);
    const callId = first?.call.id ?? '';
    const handle = harness.client.workflow.getHandle(run.id);
    const payloads = [
      ...rubbish,
      [],
      { callId, decision: 'maybe' },
      { callId, decision: 'edit' },
      { callId, decision: 'edit', input: [] },
      { callId, decision: 'allow', input: {} },
      { callId, decision: 'allow', remember: 'yes' },
      { callId, decision: 'allow', by: 'x'.repeat(3_000) },
      { callId, decision: 'allow', extra: true },
      { callId: '__proto__', decision: 'allow' },
    ];
    for (const payload of payloads) await handle.signal('decide', payload);
    await expect
      .poll(async () => (await run.snapshot()).state?.refused, { timeout: 20_000 })
      .toBe(payloads.length);
    expect(await awaiting(run)).toHaveLength(2);
    for (const { call } of await awaiting(run)) {
      await handle.signal('decide', { callId: call.id, decision: 'deny' });
    }
    expect((await run.result()).stopReason).toBe('completed');
    await expectValid(run);
  });

  it('that comes while the run is on its way to a new Temporal run has its call run once', async () => {
    const run = await harness.everloop.start('holder', { input: 'Go.' });
    await expect.poll(() => awaiting(run), { timeout: 20_000 }).toHaveLength(2);
    burnt.length = 0;
    hold.close();
    writes.close();
    areWritesHeld = true;
    const handle = harness.client.workflow.getHandle(run.id);
    for (let sent = 0; sent < 1_050; sent += 50) {
      await Promise.all(Array.from({ length: 50 }, () => handle.signal('resume')));
    }
    await writes.reached(1);
    const calls = await awaiting(run);
    const slowCall = calls.find(({ call }) => call.name === 'held')?.call.id ?? '';
    const other = calls.find(({ call }) => call.name === 'burn')?.call.id ?? '';
    await run.decide(slowCall, { decision: 'allow' });
    await hold.reached(1);
    areWritesHeld = false;
    writes.open();
    await expect
      .poll(async () => (await run.snapshot()).state?.transcript.sealed, { timeout: 20_000 })
      .toBeDefined();
    hold.open();
    await expect.poll(() => awaiting(run), { timeout: 20_000 }).toHaveLength(1);
    await run.decide(other, { decision: 'allow' });
    expect((await run.result()).stopReason).toBe('completed');
    expect(burnt.toSorted()).toEqual([slowCall, other].toSorted());
    expect(resultTexts(await run.messages())).toEqual(['held', 'burnt']);
    await expectValid(run);
  }, 90_000);
});

describe('a run whose calls wait', () => {
  it('takes 500 messages of every mode, loses and doubles none, and keeps their order', async () => {
    const run = await harness.everloop.start('waiter', { input: 'Go.' });
    await expect.poll(() => awaiting(run), { timeout: 20_000 }).toHaveLength(2);
    const modes = ['queue', 'queue', 'steer', 'interrupt'] as const;
    const positions = new Map<string, number>();
    const handle = harness.client.workflow.getHandle(run.id);
    let sent = 0;
    const sender = async () => {
      while (sent < 500) {
        const n = sent;
        sent += 1;
        const id = `flood-${n}`;
        const mode = n < 400 ? 'queue' : (modes[n % modes.length] ?? 'queue');
        if (n % 5 === 0) await handle.signal('send', { id, message: id, mode });
        else {
          const { position } = await run.send(id, { id, mode });
          positions.set(id, position);
        }
      }
    };
    const accepted = await Promise.allSettled(Array.from({ length: 8 }, sender));
    // The run may end as soon as it was interrupted; what came too late was refused.
    const lost = accepted.filter(({ status }) => status === 'rejected').length;
    const result = await run.result();
    const users = (await run.messages()).filter(({ role }) => role === 'user').slice(1);
    const ids = users.map(({ id }) => id.split('/').at(-1) ?? '');
    expect(new Set(ids).size).toBe(ids.length);
    const told = [...ids, ...result.undelivered];
    expect(new Set(told).size).toBe(told.length);
    for (const [id, position] of positions) expect(told.indexOf(id) + 1).toBe(position);
    expect(told.length).toBeGreaterThanOrEqual(lost === 0 ? 500 : 400);
    await expectValid(run);
  }, 90_000);

  it('is ended by a hook that throws beside them, with a result for every call', async () => {
    burnt.length = 0;
    const run = await harness.everloop.start('broken', { input: 'Go.' });
    const result = await run.result();
    expect(result).toMatchObject({ stopReason: 'error' });
    expect(result.ended).toContain('broken');
    expect(resultTexts(await run.messages())).toEqual(['not executed: burn', 'early']);
    expect(burnt).toEqual([]);
    await expectValid(run);
  });
});
