/** What a failed Activity says, in the run's words. */
import type { ActivityFailure } from '@temporalio/workflow';
import { ApplicationFailure, TimeoutFailure } from '@temporalio/workflow';
import type { CallError } from '../loop/loop-state.ts';
import { toCallError } from '../loop/model-failure.ts';

/** The error of an Activity that failed for good. */
export function callErrorOf({ cause }: ActivityFailure): CallError {
  if (cause instanceof TimeoutFailure) {
    return toCallError({ kind: 'timeout', heartbeat: cause.timeoutType === 'HEARTBEAT' });
  }
  const type = cause instanceof ApplicationFailure ? (cause.type ?? '') : '';
  return toCallError({ kind: 'failed', type, message: cause?.message ?? '' });
}
