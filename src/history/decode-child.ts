/** Turns the events of child Workflows into RecordedEvents. */
import type { temporal } from '@temporalio/proto';
import type { DecodePayloads } from './decode-event.ts';
import type { RecordedEvent } from './recorded-event.ts';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;
type ChildClosed = Extract<RecordedEvent, { type: 'child-closed' }>;
type ChildEvent =
  | Omit<Extract<RecordedEvent, { type: 'child-initiated' }>, 'id' | 'at'>
  | Omit<ChildClosed, 'id' | 'at'>;

/** Undefined for events that are none of a child's start or end. */
export async function decodeChild(
  event: HistoryEvent,
  decode: DecodePayloads,
): Promise<ChildEvent | undefined> {
  const initiated = event.startChildWorkflowExecutionInitiatedEventAttributes;
  if (initiated) {
    const [input] = await decode(initiated.input?.payloads);
    const name = initiated.workflowType?.name ?? '';
    return { type: 'child-initiated', runId: initiated.workflowId ?? '', name, input };
  }
  const completed = event.childWorkflowExecutionCompletedEventAttributes;
  if (completed) {
    const [result] = await decode(completed.result?.payloads);
    return { ...closed(completed, 'completed'), result };
  }
  const failed = event.childWorkflowExecutionFailedEventAttributes;
  if (failed) {
    const { failure } = failed;
    const [result] = await decode(failure?.applicationFailureInfo?.details?.payloads);
    return { ...closed(failed, 'failed'), result, message: failure?.message ?? '' };
  }
  const cancelled = event.childWorkflowExecutionCanceledEventAttributes;
  if (cancelled) return closed(cancelled, 'cancelled');
  const terminated = event.childWorkflowExecutionTerminatedEventAttributes;
  if (terminated) return closed(terminated, 'terminated');
  const timedOut = event.childWorkflowExecutionTimedOutEventAttributes;
  if (timedOut) return closed(timedOut, 'timed-out');
  return undefined;
}

function closed(
  { initiatedEventId }: { initiatedEventId?: unknown },
  how: ChildClosed['how'],
): Omit<ChildClosed, 'id' | 'at'> {
  return { type: 'child-closed', initiatedId: Number(initiatedEventId), how };
}
