/** Runs that are taken back over many histories, as far as there are any; and what cannot be. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readRawHistory } from '../../src/client/read-history.ts';
import type { RunHandle } from '../../src/client/run-handle.ts';
import { temporalRuns } from '../../src/client/temporal-runs.ts';
import type { RunEvent } from '../../src/loop/events.ts';
import type { Harness } from '../support/harness.ts';
import { startHarness } from '../support/harness.ts';
import { says, takenBackAgents } from './taken-back-agents.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ agents: takenBackAgents });
});
afterAll(() => harness.stop());

async function finished(agent: string, input = 'Go.'): Promise<RunHandle> {
  const run = await harness.everloop.start(agent, { input });
  await run.result();
  return run;
}

/** All events, which must be the same from whatever event one goes on. */
async function eventsOf(run: RunHandle): Promise<readonly RunEvent[]> {
  const events = await Array.fromAsync(run.events());
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  return events;
}

describe('a run over many histories', () => {
  it('is taken back to any of them, replays whole, and can be forked afterwards', async () => {
    const run = await finished('long');
    const messages = await run.messages();
    expect((await temporalRuns(harness.client, run.id)).length).toBeGreaterThan(1);
    const plan = await run.rewind({ toIteration: 20, input: 'From here.' });
    expect(plan.discarded).toMatchObject({ iterations: 111, messages: messages.length - 41 });
    expect(plan.discarded.calls.length).toBe(110);
    expect(await run.result()).toMatchObject({ output: 'Done with: From here.' });
    const now = await run.messages();
    expect(now.slice(0, 41)).toEqual(messages.slice(0, 41));
    const events = await eventsOf(run);
    expect(events.filter(({ type }) => type === 'run-start')).toHaveLength(1);
    const verdict = await run.replay();
    expect(verdict).toMatchObject({ ok: true, iterations: 131 });
    const [fork] = await run.fork({ at: 40 });
    expect(await fork?.result()).toMatchObject({ output: 'Done with: Go.' });
  }, 180_000);
});

describe('what cannot be rewound', () => {
  it.each([
    [{ toIteration: 9 }, 'not_found'],
    [{ toIteration: -1 }, 'invalid_input'],
    [{ at: 99 }, 'not_found'],
    [{ at: 5 }, 'input_required'],
    [{ toIteration: 3 }, 'input_required'],
    [{}, 'invalid_input'],
    [{ toIteration: 1, at: 1 }, 'invalid_input'],
    [{ at: 0, edit: '' }, 'invalid_input'],
    [{ toIteration: 1, input: '' }, 'invalid_input'],
  ] as const)('%j: %s, and the run stays as it is', async (options, code) => {
    const run = await finished('payer');
    const before = await run.snapshot();
    await expect(run.rewind(options)).rejects.toMatchObject({ code });
    expect((await run.snapshot()).temporalRunId).toBe(before.temporalRunId);
  });

  it('further than the server keeps its histories: it says since when it does', async () => {
    const run = await finished('long');
    const [oldest = ''] = await temporalRuns(harness.client, run.id);
    await harness.client.workflowService.deleteWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId: run.id, runId: oldest },
    });
    await expect
      .poll(async () => (await temporalRuns(harness.client, run.id)).includes(oldest), {
        timeout: 150_000,
      })
      .toBe(false);
    await expect(run.rewind({ toIteration: 1 })).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringMatching(/since \d{4}-\d\d-\d\dT\S+Z only/),
    });
    // A fork needs no more than the messages.
    const [fork] = await run.fork({ at: 2 });
    expect(await fork?.result()).toMatchObject({ output: 'Done with: Go.' });
  }, 180_000);
});

describe('a run reset with Temporal’s own tools', () => {
  it('loads, after a rewind and as a fork too', async () => {
    const run = await finished('payer');
    await run.rewind({ toIteration: 1, input: 'Enough.' });
    await run.result();
    const [fork] = await run.fork({ input: 'A fork.' });
    if (fork === undefined) throw new Error('no fork');
    await fork.result();
    for (const reset of [run, fork]) {
      const before = await reset.result();
      const { temporalRunId } = await reset.snapshot();
      const events = await Array.fromAsync(readRawHistory(harness.client, { runId: reset.id }));
      const task = events.findLast((event) => event.workflowTaskCompletedEventAttributes);
      await harness.client.workflowService.resetWorkflowExecution({
        namespace: 'default',
        workflowExecution: { workflowId: reset.id, runId: temporalRunId },
        workflowTaskFinishEventId: task?.eventId ?? null,
        requestId: crypto.randomUUID(),
        reason: 'test',
      });
      expect((await reset.result()).output).toBe(before.output);
      expect((await reset.snapshot()).temporalRunId).not.toBe(temporalRunId);
      expect(says(await reset.messages()).at(-1)).toBe(`assistant: ${before.output}`);
      await eventsOf(reset);
    }
  });
});
