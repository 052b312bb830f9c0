/** The end of a run: what is open is closed, the outcome is recorded, and the Workflow closes as Temporal's own tools expect. */
import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  isCancellation,
  TemporalFailure,
  workflowInfo,
} from '@temporalio/workflow';
import { cutText } from '../loop/cut-text.ts';
import { cancelled, stopForError } from '../loop/decide.ts';
import { failureType } from '../loop/failure-types.ts';
import type { RunResult } from '../loop/run-result.ts';
import type { Stop } from '../loop/stop.ts';
import { shortened } from '../loop/to-run-memo.ts';
import { toRunResult } from '../loop/to-run-result.ts';
import { callErrorOf } from './call-failure.ts';
import { askHooksAtEnd } from './hooks-node.ts';
import type { Run } from './run.ts';
import { sealAtEnd } from './seal.ts';
import { writeSummary } from './summary.ts';

/** Longest text of the failure that closes the Workflow; the memo and LoopState keep less. */
const failureLength = 2_000;

/**
 * Records the stop, puts the transcript away and closes the Workflow.
 * @returns the result, for every reason that closes it as completed
 * @throws CancelledFailure or ApplicationFailure, which close it as cancelled or failed
 */
export async function endRun(run: Run, stop: Stop): Promise<RunResult> {
  const stopped = { at: run.now(), stop: shortened(stop) };
  const { reason, detail, errorType } = stopped.stop;
  const isBoundary = run.state.phase.kind === 'boundary';
  run.apply({ type: 'stopped', ...stopped });
  const why = { stopped, ...(isBoundary && { boundary: true as const }) };
  await askHooksAtEnd(run, why);
  await sealAtEnd(run, why);
  if (run.isOpening) await run.allOpened();
  run.apply({ type: 'ended', at: run.now() });
  writeSummary(run);
  const result = toRunResult(run.state, workflowInfo().runId);
  if (reason === 'cancelled') throw new CancelledFailure(detail);
  if (reason === 'error') {
    throw ApplicationFailure.create({
      type: errorType ?? failureType.runFailed,
      message: cutText(stop.detail, failureLength),
      nonRetryable: true,
      details: [result],
    });
  }
  return result;
}

/**
 * The stop that a failure leads to.
 * @throws whatever is no Temporal failure: a broken invariant fails the Workflow task, and the run goes on once a fix is deployed
 */
export function stopForFailure(run: Run, error: unknown): Stop {
  run.noteCancellation();
  if (isCancellation(error) && run.state.cancelRequested) return cancelled;
  if (!(error instanceof TemporalFailure)) throw error;
  if (error instanceof ActivityFailure) {
    const { type, message } = callErrorOf(error);
    return stopForError(run.state, type, message);
  }
  const type = error instanceof ApplicationFailure ? error.type : undefined;
  return stopForError(run.state, type ?? failureType.runFailed, error.message);
}
