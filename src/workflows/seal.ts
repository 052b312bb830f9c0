/** Puts the transcript so far into the blob store, and the run on its way to a new Temporal run or to its end. */
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  continueAsNew,
  isCancellation,
  workflowInfo,
} from '@temporalio/workflow';
import { isTranscriptRef } from '../loop/call-results.ts';
import type { SealInput } from '../loop/calls.ts';
import type { Continuation } from '../loop/continuation.ts';
import { continuedState, nextContinuation } from '../loop/continuation.ts';
import { receivable } from '../loop/decide.ts';
import { failureType } from '../loop/failure-types.ts';
import { sealActivityId } from '../loop/message-ids.ts';
import type { AgentRunInput } from '../loop/run-input.ts';
import { toAdvance } from '../loop/to-advance.ts';
import { nodes, sealOptions } from './activities.ts';
import type { Run } from './run.ts';
import { writeSummary } from './summary.ts';

/** Tries to seal, where the run can do without: a fault of a moment is over by then. */
const attempts = 3;

/** Whether the history has grown long enough to go on in a new Temporal run. */
export function dueContinuation({ sealFailedAt }: Run): Continuation {
  const { historyLength, historySize, continueAsNewSuggested } = workflowInfo();
  const size = { events: historyLength, bytes: historySize, suggested: continueAsNewSuggested };
  return nextContinuation(size, sealFailedAt);
}

/**
 * Continues as new. Returns if the transcript cannot be put away now: the run goes on and tries again later.
 * @throws ContinueAsNew
 */
export async function continueRun(run: Run, due: Exclude<Continuation, 'not-yet'>): Promise<void> {
  if (run.isOpening) await run.allOpened();
  const { historyLength, runId } = workflowInfo();
  const isBoundary = run.state.pendingToolCalls.length === 0;
  // What waits would be carried on in the state, which has to stay small; but nothing comes between calls and results.
  if (isBoundary) run.apply({ type: 'messages-taken', received: receivable(run.state) });
  const why = isBoundary ? { boundary: true as const } : {};
  const isSealed = await seal(run, why, due === 'urgent' ? 0 : attempts);
  run.noteCancellation();
  // Somebody may have decided on a call meanwhile: one that runs now would be run again by the next Temporal run.
  if (run.state.cancelRequested || run.isOpening || isRunning(run)) return;
  // From here to the end nothing is awaited: a message that came between would be lost.
  const state = isSealed ? continuedState(run.state) : undefined;
  if (state === undefined) {
    if (due === 'urgent' && isSealed) throw tooLarge();
    run.sealFailedAt = historyLength;
    return;
  }
  run.isLeaving = true;
  writeSummary(run);
  const argument: AgentRunInput = {
    from: { state, previous: { temporalRunId: runId, how: 'continued' } },
  };
  await continueAsNew<(argument: AgentRunInput) => Promise<unknown>>(argument);
}

function isRunning({ state }: Run): boolean {
  return state.pendingToolCalls.some(({ status }) => status === 'running');
}

/** The server would end the run soon, without any of what belongs to its end. */
function tooLarge(): ApplicationFailure {
  return ApplicationFailure.create({
    type: failureType.tooLarge,
    message:
      'The history has no room left, and the state of the run is too large to go on in a new one: make instructions, tools and metadata smaller.',
    nonRetryable: true,
  });
}

/** Seals the transcript of a run that has stopped. One that cannot be sealed ends all the same: its history is there. */
export async function sealAtEnd(
  run: Run,
  why: Pick<SealInput, 'stopped' | 'boundary'>,
): Promise<void> {
  await CancellationScope.nonCancellable(() => seal(run, why, attempts));
}

/** True when the transcript is sealed. */
async function seal(
  run: Run,
  why: Pick<SealInput, 'stopped' | 'boundary'>,
  maximumAttempts: number,
): Promise<boolean> {
  const { agent, iteration, transcript } = run.state;
  if (agent === undefined || transcript.count === 0) return false;
  if (transcript.sealed?.messages === transcript.count) return true;
  const input: SealInput = {
    ...toAdvance(run.state),
    ...(transcript.sealed !== undefined && { sealed: transcript.sealed }),
    ...why,
  };
  run.apply({ type: 'told' });
  const options = sealOptions(agent, sealActivityId(iteration, transcript.count), maximumAttempts);
  try {
    const ref: unknown = await nodes.everloopSealTranscript.executeWithOptions(options, [input]);
    if (!isTranscriptRef(ref)) return false;
    run.apply({ type: 'sealed', ref });
    return true;
  } catch (error) {
    if (error instanceof ActivityFailure || isCancellation(error)) return false;
    throw error;
  }
}
