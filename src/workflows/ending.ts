/** The end of a run: what is open is closed, the outcome is recorded, and the Workflow closes as Temporal's own tools expect. */
import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  isCancellation,
  TemporalFailure,
  TimeoutFailure,
} from '@temporalio/workflow';
import { cancelled, stopForError } from '../loop/decide.ts';
import { failureType } from '../loop/failure-types.ts';
import { shortened } from '../loop/run-memo.ts';
import type { RunResult } from '../loop/run-result.ts';
import type { RunError, Stop } from '../loop/stop.ts';
import { toRunResult } from '../loop/to-run-result.ts';
import type { Run } from './run.ts';
import { writeSummary } from './summary.ts';

/**
 * Records the stop and closes the Workflow.
 * @returns the result, for every reason that closes it as completed
 * @throws CancelledFailure or ApplicationFailure, which close it as cancelled or failed
 */
export function endRun(run: Run, stop: Stop): RunResult {
  run.apply({ type: 'stopped', at: Date.now(), stop: shortened(stop) });
  writeSummary(run);
  const result = toRunResult(run.state);
  if (stop.reason === 'cancelled') throw new CancelledFailure(stop.detail);
  if (stop.reason === 'error') {
    throw ApplicationFailure.create({
      type: stop.error?.type ?? failureType.runFailed,
      message: stop.detail,
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
  return stopForError(run.state, runErrorOf(error));
}

function runErrorOf(error: TemporalFailure): RunError {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof ApplicationFailure) {
    return { type: cause.type ?? failureType.runFailed, message: cause.message };
  }
  if (cause instanceof TimeoutFailure) {
    return {
      type: `${failureType.model}.lost`,
      message: `The model call was lost on every attempt (${cause.timeoutType}). Look at the Worker's log, then retry the run.`,
    };
  }
  return { type: failureType.runFailed, message: cause?.message ?? error.message };
}
