/** The model and tool calls of a run, as its history records them. */
import type { temporal } from '@temporalio/proto';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** A model or tool call. */
export interface RecordedRunCall {
  /** Activity id, such as `3/model` or `3/call_1`. */
  readonly id: string;
  readonly kind: 'model' | 'tool';
  /** Attempts that were made: more than one when a Worker was lost, or a failure was tried again. */
  readonly attempts: number;
  /** `lost`: the last attempt was never heard of again, and the call may not be tried again. */
  readonly outcome: 'completed' | 'failed' | 'lost' | 'cancelled' | 'open';
}

const kinds: Readonly<Record<string, RecordedRunCall['kind']>> = {
  everloopCallModel: 'model',
  everloopRunTool: 'tool',
};

/** The calls of one Temporal run, in the order in which they were scheduled. */
export function recordedCalls(events: readonly HistoryEvent[]): readonly RecordedRunCall[] {
  const calls = new Map<string, RecordedRunCall>();
  const change = (
    scheduledId: Parameters<typeof String>[0],
    changes: Partial<RecordedRunCall>,
  ): void => {
    const call = calls.get(String(scheduledId));
    if (call !== undefined) calls.set(String(scheduledId), { ...call, ...changes });
  };
  for (const event of events) {
    const scheduled = event.activityTaskScheduledEventAttributes;
    const kind = kinds[scheduled?.activityType?.name ?? ''];
    if (scheduled && kind !== undefined) {
      const id = scheduled.activityId ?? '';
      calls.set(String(event.eventId), { id, kind, attempts: 0, outcome: 'open' });
    }
    const started = event.activityTaskStartedEventAttributes;
    if (started) change(started.scheduledEventId, { attempts: started.attempt ?? 1 });
    const completed = event.activityTaskCompletedEventAttributes;
    if (completed) change(completed.scheduledEventId, { outcome: 'completed' });
    const failed = event.activityTaskFailedEventAttributes;
    if (failed) change(failed.scheduledEventId, { outcome: 'failed' });
    const timedOut = event.activityTaskTimedOutEventAttributes;
    if (timedOut) change(timedOut.scheduledEventId, { outcome: 'lost' });
    const cancelled = event.activityTaskCanceledEventAttributes;
    if (cancelled) change(cancelled.scheduledEventId, { outcome: 'cancelled' });
  }
  return [...calls.values()];
}
