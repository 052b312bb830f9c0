/** Forks a run: one that is going on forks itself, and keeps the forks in its history; of one that cannot, the forks are started from here. */
import type { Client } from '@temporalio/client';
import {
  agentAttribute,
  forkedFromAttribute,
  rootAttribute,
  statusAttribute,
} from '../engine/search-attributes.ts';
import type { ErrorCode } from '../everloop-error.ts';
import { EverloopError } from '../everloop-error.ts';
import { awaitingState } from '../loop/departure-states.ts';
import type { ForkRequest } from '../loop/fork-request.ts';
import { forkProblem, forkShapeProblem, newestForkPoint } from '../loop/fork-request.ts';
import type { FromPoint } from '../loop/from-point.ts';
import type { LoopState } from '../loop/loop-state.ts';
import { isOpen } from '../loop/run-status.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import { fork } from '../workflows/messages.ts';
import { assertSendable } from './assert-sendable.ts';
import { codeOfRejection, noSuchRun, translated } from './client-errors.ts';
import { cutRun } from './cut-run.ts';
import type { RunSnapshot } from './run-snapshot.ts';
import { takeSnapshot } from './run-snapshot.ts';
import { startFromPoint } from './start-from-point.ts';
import { storeMedia } from './store-media.ts';
import { untilDelivered } from './until-delivered.ts';
import { untilThere } from './until-there.ts';

/**
 * Makes the forks.
 * @returns their ids
 * @throws EverloopError `not_found` (the run, or the message), `input_required`, `invalid_input`, `rejected`, `blob_store_failed`, `engine_unreachable`
 */
export async function forkRun(
  client: Client,
  blobs: BlobStore | undefined,
  id: string,
  options: ForkRequest,
): Promise<readonly string[]> {
  const shape = forkShapeProblem(options);
  if (shape !== undefined) {
    throw new EverloopError('invalid_input', `run ${id} cannot be forked: ${shape}`);
  }
  const { input } = options;
  const request: ForkRequest =
    input === undefined ? options : { ...options, input: await storeMedia(blobs, input) };
  assertSendable(request, 'what the fork goes on with', blobs);
  const run = await takeSnapshot(client, id);
  const checked = await checkedRequest(client, blobs, run, request);
  if (isOpen(run.status) && run.stuck === undefined && run.workers > 0) {
    const forked = await byTheRun(client, id, checked);
    return forked ?? (await fromHere(client, await takeSnapshot(client, id), checked));
  }
  return await fromHere(client, run, checked);
}

/** The request with the message's index; what is wrong with it is found out before anything is started. */
async function checkedRequest(
  client: Client,
  blobs: BlobStore | undefined,
  { id, state }: RunSnapshot,
  request: ForkRequest,
): Promise<ForkRequest> {
  if (state === undefined) {
    throw new EverloopError('rejected', `run ${id} has no messages: its input was not valid`);
  }
  const problem = forkProblem(state, request);
  if (problem !== undefined) throw refusal(id, codeOfRejection[problem.type], problem.text);
  const { at, edit, input } = request;
  // In the state itself there is nothing else that could be wrong.
  if (edit === undefined && (at === undefined || isInTail(state, at))) return request;
  const { index, cut } = await cutRun(client, blobs, state, at ?? newestForkPoint(state), edit);
  if (cut.lastRole === 'assistant' && input === undefined) {
    const text = `message ${cut.last} of run ${id} is an answer: say what the fork is to go on with (input)`;
    throw refusal(id, 'input_required', text);
  }
  return at === undefined ? request : { ...request, at: index };
}

function isInTail({ transcript: { count, tail } }: LoopState, at: number | string): boolean {
  return typeof at === 'number' && at >= count - tail.length;
}

function refusal(id: string, code: ErrorCode = 'rejected', text: string): EverloopError {
  return new EverloopError(code, text, {
    ...(code === 'not_found' && { hint: `see its messages with: everloop show ${id} --full` }),
  });
}

/** Undefined when the run has come to its end meanwhile. */
async function byTheRun(
  client: Client,
  id: string,
  request: ForkRequest,
): Promise<readonly string[] | undefined> {
  const updateId = crypto.randomUUID();
  try {
    const { runs } = await translated(id, () =>
      untilDelivered(() =>
        client.workflow.getHandle(id).executeUpdate(fork, { updateId, args: [request] }),
      ),
    );
    for (const run of runs) await untilThere(client, run);
    return runs;
  } catch (error) {
    const isEnded =
      error instanceof EverloopError && ['run_ending', 'not_found'].includes(error.code);
    if (isEnded) return undefined;
    throw error;
  }
}

async function fromHere(
  client: Client,
  { id, temporalRunId, taskQueue, state }: RunSnapshot,
  request: ForkRequest,
): Promise<readonly string[]> {
  if (state === undefined) throw noSuchRun(id);
  const { count = 1, at = newestForkPoint(state), ...rest } = request;
  const from: FromPoint = {
    point: { runId: id, temporalRunId, message: at },
    previous: { temporalRunId, how: 'forked' },
    ...rest,
  };
  const agent = from.agent ?? state.start.agent;
  const named = { ...from, agent, title: from.title ?? state.title };
  const runs = Array.from({ length: count }, () => crypto.randomUUID());
  for (const run of runs) {
    const shown = awaitingState({
      at: Date.now(),
      runId: run,
      firstTemporalRunId: '',
      from: named,
    });
    const attributes = [
      { key: agentAttribute, value: agent },
      { key: statusAttribute, value: 'running' },
      { key: rootAttribute, value: run },
      { key: forkedFromAttribute, value: id },
    ];
    const start = { id: run, taskQueue, from, shown, attributes, takesOver: false };
    await translated(run, () => startFromPoint(client, start));
  }
  return runs;
}
