/** What Workflow code waits for, as history records its end. */
import type { ModelFailure } from '../loop/model-failure.ts';
import type { ActivityEnd } from '../loop/tool-outcome.ts';
import type { Met, Resolution } from './task-order.ts';

/** What the code goes on with once all Signals and Updates of the task are handled. */
export type Result = Exclude<Resolution, { type: 'signaled' | 'cancel-requested' }>;

/** Whether the event is one that code waits for. */
export function isResult(met: Met): met is Result {
  switch (met.type) {
    case 'activity-completed':
    case 'activity-failed':
    case 'activity-timed-out':
    case 'activity-cancelled':
    case 'timer-fired':
    case 'child-closed':
      return true;
    default:
      return false;
  }
}

/** How a model Activity failed for good. */
export function failureOf(
  event: Extract<Resolution, { type: 'activity-failed' | 'activity-timed-out' }>,
): ModelFailure {
  return event.type === 'activity-timed-out'
    ? { kind: 'timeout', heartbeat: event.heartbeat }
    : { kind: 'failed', type: event.failureType, message: event.message };
}

/** How an Activity ended that returned nothing. */
export function endOf(
  event: Exclude<Resolution, { type: 'cancel-requested' | 'signaled' | 'timer-fired' }>,
): ActivityEnd {
  switch (event.type) {
    case 'activity-timed-out':
      return { kind: 'timeout', heartbeat: event.heartbeat };
    case 'activity-failed':
      return { kind: 'failed', message: event.message };
    default:
      return { kind: 'called-off' };
  }
}
