/** Makes a replay look at the last Workflow task of a run that is stuck in it. */
import type { temporal } from '@temporalio/proto';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** EVENT_TYPE_WORKFLOW_TASK_COMPLETED of Temporal's API. */
const workflowTaskCompleted = 7;

/**
 * The events to replay. A history that ends in a Workflow task which never completed is cut after that task's
 * start, and the task is completed by a made-up event: the SDK's replayer does not execute an unfinished last
 * task, so code that throws there would replay as sound.
 */
export function withTaskFinished(events: readonly HistoryEvent[]): readonly HistoryEvent[] {
  const started = events.findLastIndex((event) => event.workflowTaskStartedEventAttributes);
  const completed = events.findLastIndex((event) => event.workflowTaskCompletedEventAttributes);
  const last = events[started];
  if (last === undefined || completed > started || isClosed(events.at(-1))) return events;
  const { eventId, eventTime, workflowTaskStartedEventAttributes: task } = last;
  if (eventId === undefined || eventId === null) return events;
  return [
    ...events.slice(0, started + 1),
    {
      eventId: eventId.add(1),
      eventTime: eventTime ?? null,
      eventType: workflowTaskCompleted,
      workflowTaskCompletedEventAttributes: {
        scheduledEventId: task?.scheduledEventId ?? null,
        startedEventId: eventId,
        identity: 'everloop-replay',
      },
    },
  ];
}

function isClosed(event: HistoryEvent | undefined): boolean {
  return Boolean(
    event?.workflowExecutionCompletedEventAttributes ??
      event?.workflowExecutionFailedEventAttributes ??
      event?.workflowExecutionCanceledEventAttributes ??
      event?.workflowExecutionTerminatedEventAttributes ??
      event?.workflowExecutionTimedOutEventAttributes ??
      event?.workflowExecutionContinuedAsNewEventAttributes,
  );
}
