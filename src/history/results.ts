/** What Workflow code waits for, as history records its end. */
import type { ModelFailure } from '../loop/model-failure.ts';
import type { ActivityEnd } from '../loop/tool-outcome.ts';
import type { RecordedEvent } from './recorded-event.ts';

const resultTypes = [
  'activity-completed',
  'activity-failed',
  'activity-timed-out',
  'activity-cancelled',
  'timer-fired',
  'child-closed',
] as const;
const messageTypes = ['signaled', 'cancel-requested'] as const;

/** What the code goes on with once all Signals and Updates of the task are handled. */
export type Result = Extract<RecordedEvent, { type: (typeof resultTypes)[number] }>;

/** What a Workflow sees only in its next Workflow task. */
export type Resolution = Result | Extract<RecordedEvent, { type: (typeof messageTypes)[number] }>;

/** Whether the event is one that code waits for. */
export function isResult(event: RecordedEvent): event is Result {
  return resultTypes.some((type) => type === event.type);
}

/** Whether the Workflow sees the event only in its next Workflow task. */
export function isResolution(event: RecordedEvent): event is Resolution {
  return isResult(event) || messageTypes.some((type) => type === event.type);
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
