/** The end of a run: what is open is closed, the outcome is recorded, and the Workflow closes as Temporal's own tools expect. */
import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  isCancellation,
  TemporalFailure,
  TimeoutFailure,
} from '@temporalio/workflow';
import { cutText } from '../loop/cut-text.ts';
import { cancelled, stopForError } from '../loop/decide.ts';
import { failureType } from '../loop/failure-types.ts';
import type { RunResult } from '../loop/run-result.ts';
import type { Stop } from '../loop/stop.ts';
import { shortened } from '../loop/to-run-memo.ts';
import { toRunResult } from '../loop/to-run-result.ts';
import type { Run } from './run.ts';
import { writeSummary } from './summary.ts';

/** Longest text of the failure that closes the Workflow; the memo and LoopState keep less. */
const failureLength = 2_000;

/**
 * Records the stop and closes the Workflow.
 * @returns the result, for every reason that closes it as completed
 * @throws CancelledFailure or ApplicationFailure, which close it as cancelled or failed
 */
export function endRun(run: Run, stop: Stop): RunResult {
  const recorded = shortened(stop);
  const { reason, detail, errorType } = recorded;
  run.apply({ type: 'stopped', at: Date.now(), stop: recorded });
  writeSummary(run);
  const result = toRunResult(run.state);
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
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof TimeoutFailure) {
    const what = `The call was lost on every attempt (${cause.timeoutType}).`;
    return stopForError(
      run.state,
      `${failureType.model}.lost`,
      `${what} Look at the Worker's log.`,
    );
  }
  const type = cause instanceof ApplicationFailure ? cause.type : undefined;
  const { message } = cause ?? error;
  return stopForError(run.state, type ?? failureType.runFailed, message);
}
