import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { textOf } from '../../src/chat/text-of.ts';
import { readHistory } from '../../src/client/read-history.ts';
import { temporalRuns } from '../../src/client/temporal-runs.ts';
import { wholeRun } from '../../src/client/whole-run.ts';
import { EverloopError } from '../../src/everloop-error.ts';
import type { RunEvent } from '../../src/loop/events.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import type { BlobStore } from '../../src/storage/blob-store.ts';
import { createMemoryBlobStore } from '../../src/storage/memory-blob-store.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { sendSignal } from '../../src/workflows/messages.ts';
import type { Harness } from '../support/harness.ts';
import { startHarness } from '../support/harness.ts';

const text = (length: number) =>
  defineTool({
    name: 'read',
    description: 'Reads.',
    input: z.object({ n: z.int() }),
    effect: 'none',
    maxResultBytes: 1_000_000,
    execute: ({ n }) => `${n}:`.padEnd(length, 'x'),
  });

/** Calls `read` in every iteration until the tool results are `results`, then says how many it has seen. */
const reader = (results: number) =>
  scriptedModel(
    ({ messages }) => {
      const n = messages.filter((message) => message.role === 'tool').length;
      return n < results
        ? { text: `Reading ${n}.`, calls: [{ name: 'read', input: { n } }] }
        : { text: `I have read ${n}.` };
    },
    { name: `reader of ${results}` },
  );

/** A store whose writes can be made to fail. */
function breakable(): BlobStore & { broken: boolean } {
  const store = createMemoryBlobStore();
  return {
    ...store,
    broken: false,
    async put(bytes, options) {
      if (this.broken)
        throw new EverloopError('blob_store_failed', 'the disk is full', { hint: '' });
      return await store.put(bytes, options);
    },
  };
}

const blobs = breakable();
let harness: Harness;
beforeAll(async () => {
  const agent = (results: number, length: number) =>
    defineAgent({
      model: reader(results),
      instructions: 'Read.',
      tools: [text(length)],
      maxIterations: 5_000,
    });
  harness = await startHarness({
    blobs,
    agents: {
      long: agent(999, 10),
      flooded: agent(110, 10),
      patient: agent(180, 10),
      large: agent(60, 850_000),
    },
  });
});
afterAll(() => harness.stop());

function messagesIn(events: readonly RunEvent[]) {
  return events.flatMap((event) => (event.type === 'message' ? [event.data] : []));
}

describe('a run of a thousand iterations', () => {
  const id = `long-${crypto.randomUUID()}`;
  let events: readonly RunEvent[];
  beforeAll(async () => {
    const run = await harness.everloop.start('long', { id, input: 'Go.' });
    events = await Array.fromAsync(run.events());
  }, 180_000);

  it('comes to its end over many short histories', async () => {
    const run = harness.everloop.run(id);
    expect(await run.result()).toMatchObject({
      stopReason: 'completed',
      output: 'I have read 999.',
      iterations: 1_000,
      transcript: { messages: 2_000 },
    });
    const parts = await temporalRuns(harness.client, id);
    expect(parts.length).toBeGreaterThan(8);
    for (const temporalRunId of parts) {
      const history = readHistory(harness.client, { runId: id, temporalRunId });
      const last = (await Array.fromAsync(history)).at(-1);
      expect(last?.id).toBeLessThan(1_100);
    }
  });

  it('tells a watcher every message once and in order, as if there were one history', () => {
    expect(messagesIn(events).map(({ index }) => index)).toEqual(
      Array.from({ length: 2_000 }, (_, n) => n),
    );
    expect(new Set(events.map((event) => event.id)).size).toBe(events.length);
    const iterations = events.flatMap((event) =>
      event.type === 'iteration-start' ? [event.iteration] : [],
    );
    expect(iterations).toEqual(Array.from({ length: 1_000 }, (_, n) => n + 1));
    expect(events.filter((event) => event.type === 'run-start').length).toBe(1);
    expect(events.at(-1)?.type).toBe('run-end');
  });

  it('goes on telling after any event, in whatever history that stands', async () => {
    const run = harness.everloop.run(id);
    const continued = events.findIndex((event) => event.type === 'continued');
    for (const at of [0, continued - 1, continued, continued + 1, events.length - 2]) {
      const after = events[at]?.id;
      if (after === undefined) throw new Error('no event');
      expect(await Array.fromAsync(run.events({ after }))).toEqual(events.slice(at + 1));
    }
  });

  it('has its whole transcript in the blob store and, without one, in its histories', async () => {
    const told = messagesIn(events).map(({ message }) => message);
    expect(await harness.everloop.run(id).messages()).toEqual(told);
    const { state } = await harness.everloop.run(id).snapshot();
    if (state === undefined) throw new Error('no state');
    expect(await wholeRun(harness.client, undefined, state)).toEqual(told);
    expect(await wholeRun(harness.client, createMemoryBlobStore(), state)).toEqual(told);
  });

  it('is one run in lists, with its figures and its status', async () => {
    const query = `WorkflowId = '${id}'`;
    await expect
      .poll(() => Array.fromAsync(harness.everloop.list({ query, status: 'completed' })))
      .toHaveLength(1);
    const [listed] = await Array.fromAsync(harness.everloop.list({ query, agent: 'long' }));
    expect(listed).toMatchObject({ id, agent: 'long', title: 'Go.', memo: { iterations: 1_000 } });
  });

  it('replays as one run, with LoopState after every iteration', async () => {
    const verdict = await harness.everloop.run(id).replay();
    expect(verdict).toMatchObject({ ok: true, iterations: 1_000 });
    const iterations = new Set(verdict.states.map((state) => state.iteration));
    expect(iterations.size).toBe(1_001);
  });

  it('asks the model from the cache, not from history, in at least 99 of 100 calls', () => {
    const { hits, misses } = harness.contexts.counts;
    expect(misses / (hits + misses)).toBeLessThanOrEqual(0.01);
  });
});

describe('messages across continuations', () => {
  it('are appended once each, in the order of their sender, by Update and by Signal', async () => {
    const run = await harness.everloop.start('flooded', { input: 'Go.' });
    const sent = 500;
    const flood = async (sender: number) => {
      for (let n = sender; n < sent; n += 4) {
        const id = `m${n}`;
        const message = `message ${n}`;
        if (n % 8 < 4) await run.send(message, { id });
        else await harness.client.workflow.getHandle(run.id).signal(sendSignal, { id, message });
        // A sender that is not sure sends again.
        if (n % 50 === 0) await run.send(message, { id });
      }
    };
    await Promise.all([0, 1, 2, 3].map(flood));
    const { undelivered } = await run.result();
    expect(undelivered).toEqual([]);
    expect((await temporalRuns(harness.client, run.id)).length).toBeGreaterThan(1);
    const read = (await run.messages())
      .filter((message) => message.role === 'user')
      .map((message) => Number(/^message (\d+)$/.exec(textOf(message))?.[1]))
      .filter((n) => !Number.isNaN(n));
    expect(read.toSorted((a, b) => a - b)).toEqual(Array.from({ length: sent }, (_, n) => n));
    for (const sender of [0, 1, 2, 3]) {
      const own = read.filter((n) => n % 4 === sender);
      expect(own).toEqual(own.toSorted((a, b) => a - b));
    }
  });

  it('get the same receipt when they are sent again after a continuation', async () => {
    const run = await harness.everloop.start('flooded', { input: 'Go.' });
    const first = await run.send('Once.', { id: 'once' });
    for await (const event of run.events()) if (event.type === 'continued') break;
    expect(await run.send('Once.', { id: 'once' })).toEqual(first);
    await run.result();
    const said = (await run.messages()).filter((message) => textOf(message) === 'Once.');
    expect(said.length).toBe(1);
  });

  it('count as refused when a Signal holds none, and do no harm', async () => {
    const run = await harness.everloop.start('flooded', { input: 'Go.', maxIterations: 5 });
    const handle = harness.client.workflow.getHandle(run.id);
    for (const payload of [undefined, 7, { message: '' }, { message: 'x', mode: 'shout' }]) {
      await handle.signal('send', payload);
    }
    await run.result();
    const { state } = await run.snapshot();
    expect(state).toMatchObject({ refused: 4, received: 0 });
  });
});

describe('a transcript of 50 MB', () => {
  it('fits, because no history holds it whole', async () => {
    const run = await harness.everloop.start('large', { input: 'Go.' });
    const result = await run.result();
    expect(result).toMatchObject({ stopReason: 'completed', iterations: 61 });
    expect(result.transcript?.bytes).toBeGreaterThan(50_000_000);
    const messages = await run.messages();
    expect(messages.length).toBe(result.transcript?.messages);
  });
});

describe('a blob store that fails', () => {
  it('keeps a run from going on in a new history only until it works again', async () => {
    blobs.broken = true;
    const run = await harness.everloop.start('patient', { input: 'Go.' });
    let seals = 0;
    for await (const event of readHistory(harness.client, { runId: run.id }, { follow: true })) {
      if (event.type === 'activity-failed') seals += 1;
      if (seals === 1) blobs.broken = false;
    }
    const result = await run.result();
    expect(result).toMatchObject({ stopReason: 'completed', iterations: 181 });
    expect(result.transcript?.messages).toBe(362);
    expect((await temporalRuns(harness.client, run.id)).length).toBeGreaterThan(1);
  });

  it('does not keep a run from its end: the result names no sealed transcript', async () => {
    blobs.broken = true;
    const run = await harness.everloop.start('flooded', { input: 'Go.', maxIterations: 2 });
    const result = await run.result();
    blobs.broken = false;
    expect(result).toMatchObject({ stopReason: 'max_iterations' });
    expect(result.transcript).toBeUndefined();
    expect((await run.messages()).length).toBe(5);
  });
});
