/** Takes a run back to an earlier point, in place: the same id, whatever has become of it. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { SearchAttributePair } from '@temporalio/common';
import {
  agentAttribute,
  forkedFromAttribute,
  parentAttribute,
  rootAttribute,
  statusAttribute,
} from '../engine/search-attributes.ts';
import { EverloopError } from '../everloop-error.ts';
import { rewoundState } from '../loop/departure-states.ts';
import { Edit, FromPoint } from '../loop/from-point.ts';
import type { LoopState } from '../loop/loop-state.ts';
import { problemsOf } from '../loop/problems-of.ts';
import { unpricedProblem } from '../loop/unpriced-problem.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import { pause, resume } from '../workflows/messages.ts';
import { assertSendable } from './assert-sendable.ts';
import { translated } from './client-errors.ts';
import type { Rewind, RewindOptions, RewindPlan } from './rewind-plan.ts';
import { planRewind } from './rewind-plan.ts';
import type { RunSnapshot } from './run-snapshot.ts';
import { takeSnapshot } from './run-snapshot.ts';
import { startFromPoint } from './start-from-point.ts';
import { storeMedia } from './store-media.ts';
import { newestTemporalRun } from './temporal-runs.ts';
import { untilDelivered } from './until-delivered.ts';

/** How long a live run may take to come to a standstill; what is in flight then has an unknown outcome. */
const standstillMs = 10_000;

/**
 * Takes the run back, and lets it go on from there.
 * @returns what was left behind
 * @throws EverloopError as `planRewind` does, and `rejected` while sub-agents are running that nobody said may end
 */
export async function rewindRun(
  client: Client,
  blobs: BlobStore | undefined,
  id: string,
  how: 'rewound' | 'retried',
  options: RewindOptions,
): Promise<RewindPlan> {
  const given = await checked(blobs, options);
  const first = await planRewind(client, blobs, id, how, given);
  refuseWithChildren(first.plan, given);
  refuseUnpriced(first.boundary, given);
  const stoodStill = await standStill(client, first.snapshot);
  try {
    const rewind = stoodStill ? await planRewind(client, blobs, id, how, given) : first;
    refuseWithChildren(rewind.plan, given);
    await takeOver(client, rewind, given);
    return rewind.plan;
  } catch (error) {
    if (stoodStill) await letGoOn(client, id);
    throw error;
  }
}

async function checked(
  blobs: BlobStore | undefined,
  options: RewindOptions,
): Promise<RewindOptions> {
  const { edit, input, toIteration } = options;
  const isIteration =
    toIteration === undefined || (Number.isSafeInteger(toIteration) && toIteration >= 0);
  if (!isIteration) {
    throw new EverloopError('invalid_input', 'toIteration: must be a whole number from 0 on');
  }
  if (edit !== undefined) {
    const parsed = Edit.safeParse(edit);
    if (!parsed.success) {
      throw new EverloopError('invalid_input', problemsOf(parsed.error, 'edit'));
    }
  }
  if (input === undefined) return options;
  const stored = { ...options, input: await storeMedia(blobs, input) };
  assertSendable(stored, 'what the run goes on with', blobs);
  return stored;
}

function refuseWithChildren({ runId, children }: RewindPlan, { force }: RewindOptions): void {
  if (children.length === 0 || force === true) return;
  throw new EverloopError(
    'rejected',
    `run ${runId} has sub-agents that are still running: ${children.join(', ')}`,
    { hint: 'they would end with it: say so (force), or wait for them' },
  );
}

/** Said before anything is left behind: the run would end with it at once. */
function refuseUnpriced({ agent }: LoopState, { budget }: RewindOptions): void {
  const problem = agent && unpricedProblem(agent, budget);
  if (problem !== undefined) throw new EverloopError('invalid_input', problem);
}

/**
 * Pauses a run that is going on, so that nothing new begins while it is taken back.
 * @returns whether the run may have gone on meanwhile
 */
async function standStill(client: Client, run: RunSnapshot): Promise<boolean> {
  const { id, status, stuck, workers, state } = run;
  // One that waits for somebody stands still already.
  if (status !== 'running' || stuck !== undefined || workers === 0) return false;
  if (state?.agent === undefined) return false;
  const handle = client.workflow.getHandle(id);
  const updateId = crypto.randomUUID();
  const args: [object] = [{ reason: 'it is taken back' }];
  try {
    await untilDelivered(() => handle.executeUpdate(pause, { updateId, args }));
  } catch {
    // It is ending, is paused already, or cannot be reached: it is terminated whatever it says.
    return true;
  }
  const deadline = Date.now() + standstillMs;
  while (Date.now() < deadline) {
    const { status: now } = await takeSnapshot(client, id);
    if (now !== 'running') break;
    await delay(100);
  }
  return true;
}

/** The run was paused for nothing. */
async function letGoOn(client: Client, id: string): Promise<void> {
  const handle = client.workflow.getHandle(id);
  await handle.executeUpdate(resume, { args: [{}] }).catch(() => undefined);
}

/** One call for the server: what is open is terminated, and the run goes on under its id. */
async function takeOver(client: Client, rewind: Rewind, options: RewindOptions): Promise<void> {
  const { plan, snapshot, boundary, latest, point, parent } = rewind;
  const { id, taskQueue } = snapshot;
  const { edit, input, maxIterations, budget, tellModel } = options;
  const temporalRunId = await translated(id, () => newestTemporalRun(client, id));
  const from: FromPoint = {
    point,
    previous: { temporalRunId, how: plan.how },
    ...(edit !== undefined && { edit }),
    ...(input !== undefined && { input }),
    ...(maxIterations !== undefined && { maxIterations }),
    ...(budget !== undefined && { budget }),
    ...(tellModel === true && { tellModel }),
  };
  const parsed = FromPoint.safeParse(from);
  if (!parsed.success) throw new EverloopError('invalid_input', problemsOf(parsed.error, 'input'));
  const { messages } = plan.to;
  const sealed = { hash: '', messages, bytes: 0 };
  const shown = rewoundState({ boundary, messages, sealed }, latest, {
    keepsInbox: point.iteration !== undefined,
  });
  const { start, forkedFrom } = latest;
  const attributes: SearchAttributePair[] = [
    { key: agentAttribute, value: start.agent },
    { key: statusAttribute, value: 'running' },
    { key: rootAttribute, value: id },
    ...(forkedFrom === undefined ? [] : [{ key: forkedFromAttribute, value: forkedFrom.runId }]),
    ...(parent === undefined ? [] : [{ key: parentAttribute, value: parent }]),
  ];
  const pointStart = { id, taskQueue, from, shown, attributes, takesOver: true };
  await translated(id, () => startFromPoint(client, pointStart));
}
