import { fileURLToPath } from 'node:url';
import type { temporal } from '@temporalio/proto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { readRawHistory } from '../../src/client/read-history.ts';
import { bundleWorkflows } from '../../src/engine/workflow-bundle.ts';
import { boundaries, stateAt } from '../../src/history/state-at.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { replayHistory } from '../../src/replay/replay.ts';
import { assertReplays } from '../../src/testing/assert-replays.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import type { Harness } from '../support/harness.ts';
import { sharedBundle, startHarness } from '../support/harness.ts';

const throwing = fileURLToPath(new URL('./throwing-workflow.ts', import.meta.url));

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  input: z.object({ text: z.string() }),
  effect: 'none',
  execute: ({ text }) => text,
});
const model = scriptedModel(({ messages }) => {
  const n = messages.filter((message) => message.role === 'assistant').length;
  return n < 4 ? { calls: [{ name: 'echo', input: { text: `${n}` } }] } : { text: 'Done.' };
});

let harness: Harness;
let events: readonly HistoryEvent[];
const runId = `replayed-${crypto.randomUUID()}`;

beforeAll(async () => {
  const agents = { echoer: defineAgent({ model, instructions: 'Echo.', tools: [echo] }) };
  harness = await startHarness({ agents });
  await (await harness.everloop.start('echoer', { id: runId, input: 'Go.' })).result();
  events = await Array.fromAsync(readRawHistory(harness.client, { runId }));
});
afterAll(() => harness.stop());

/** The events up to the `count`-th start of a Workflow task, as a run that is stuck in it leaves them. */
function stuckInTask(count: number): readonly HistoryEvent[] {
  const starts = events.flatMap((event, index) =>
    event.workflowTaskStartedEventAttributes ? [index] : [],
  );
  return events.slice(0, (starts[count - 1] ?? 0) + 1);
}

describe('replayHistory', () => {
  it('gives LoopState after every iteration, the same that history tells without any code', async () => {
    const verdict = await replayHistory(events, runId, { bundle: sharedBundle() });
    expect(verdict).toMatchObject({ ok: true, iterations: 5 });
    const history = await harness.history(runId);
    expect(verdict.states.map((state) => state.iteration)).toEqual([0, 1, 2, 3, 4, 5, 5]);
    const told = boundaries(history);
    expect(verdict.states).toEqual(told);
    expect(stateAt(history, 3)).toEqual(told[3]);
    expect(stateAt(history, 5)).toEqual(told.at(-1));
  });

  it('names the iteration in which the code no longer makes what history holds', async () => {
    const changed = events.map((event) => {
      const scheduled = event.activityTaskScheduledEventAttributes;
      if (scheduled?.activityId !== '3/model') return event;
      return {
        ...event,
        activityTaskScheduledEventAttributes: { ...scheduled, activityType: { name: 'other' } },
      };
    });
    const verdict = await replayHistory(changed, runId, { bundle: sharedBundle() });
    expect(verdict).toMatchObject({
      ok: false,
      iteration: 3,
      problem: expect.stringContaining('TMPRL1100'),
    });
  });

  it('says so when a history is none of a run', async () => {
    expect(await replayHistory([], runId, { bundle: sharedBundle() })).toMatchObject({ ok: false });
  });

  it('takes an open run in the middle of a task as sound', async () => {
    for (const task of [1, 2, 5]) {
      expect(
        await replayHistory(stuckInTask(task), runId, { bundle: sharedBundle() }),
      ).toMatchObject({ ok: true });
    }
  });

  it('finds code that throws in a last task which never completed', async () => {
    const bundle = await bundleWorkflows(throwing);
    expect(await replayHistory(stuckInTask(1), runId, { bundle })).toMatchObject({
      ok: false,
      iteration: 1,
      problem: expect.stringContaining('a bug in the loop'),
    });
  });

  it('says so in a test through assertReplays', async () => {
    await assertReplays(harness.client, runId);
    const bundle = await bundleWorkflows(throwing);
    await expect(assertReplays(harness.client, runId, { bundle })).rejects.toThrow(
      /does not replay: iteration 1/,
    );
  });
});
