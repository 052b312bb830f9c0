/** Turns the events that a Temporal server returns into RecordedEvents. Reads attributes by name: nothing of Temporal is loaded. */
import type { temporal } from '@temporalio/proto';
import { decodeChild } from './decode-child.ts';
import type { Closed, RecordedEvent } from './recorded-event.ts';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;
type Payloads = temporal.api.common.v1.IPayload[] | null | undefined;
type Failure = temporal.api.failure.v1.IFailure | null | undefined;

/** Decodes payloads with the connection's own converter and codec. */
export type DecodePayloads = (payloads: Payloads) => Promise<readonly unknown[]>;

/** Marker under which the SDK records a local Activity. */
const localActivityMarker = 'core_local_activity';
/** TIMEOUT_TYPE_HEARTBEAT of Temporal's API. */
const heartbeatTimeout = 4;

/** The event as far as a run is concerned; undefined for events that say nothing about it. */
export async function decodeEvent(
  event: HistoryEvent,
  decode: DecodePayloads,
): Promise<RecordedEvent | undefined> {
  const what = await decodeAttributes(event, decode);
  return what === undefined
    ? undefined
    : { id: Number(event.eventId), at: milliseconds(event), ...what };
}

type Described<T> = T extends unknown ? Omit<T, 'id' | 'at'> : never;

async function decodeAttributes(
  event: HistoryEvent,
  decode: DecodePayloads,
): Promise<Described<RecordedEvent> | undefined> {
  const started = event.workflowExecutionStartedEventAttributes;
  if (started) {
    const [input] = await decode(started.input?.payloads);
    // The id that the Workflow knows too: a reset gives the run another id and copies this event as it is.
    const previous = started.continuedExecutionRunId;
    return {
      type: 'started',
      firstTemporalRunId: started.firstExecutionRunId ?? '',
      input,
      ...(previous && { previousTemporalRunId: previous }),
    };
  }
  if (event.workflowTaskStartedEventAttributes) return { type: 'task-started' };
  const taskCompleted = event.workflowTaskCompletedEventAttributes;
  if (taskCompleted) {
    return { type: 'task-completed', startedId: Number(taskCompleted.startedEventId) };
  }
  return (
    (await decodeActivity(event, decode)) ??
    (await decodeChild(event, decode)) ??
    (await decodeMessage(event, decode))
  );
}

async function decodeActivity(
  event: HistoryEvent,
  decode: DecodePayloads,
): Promise<Described<RecordedEvent> | undefined> {
  const scheduled = event.activityTaskScheduledEventAttributes;
  if (scheduled) {
    const [input] = await decode(scheduled.input?.payloads);
    const name = scheduled.activityType?.name ?? '';
    return { type: 'activity-scheduled', activityId: scheduled.activityId ?? '', name, input };
  }
  const completed = event.activityTaskCompletedEventAttributes;
  if (completed) {
    const [result] = await decode(completed.result?.payloads);
    return { type: 'activity-completed', scheduledId: Number(completed.scheduledEventId), result };
  }
  const failed = event.activityTaskFailedEventAttributes;
  if (failed) {
    const scheduledId = Number(failed.scheduledEventId);
    return {
      type: 'activity-failed',
      scheduledId,
      ...(await describeFailure(failed.failure, decode)),
    };
  }
  const timedOut = event.activityTaskTimedOutEventAttributes;
  if (timedOut) {
    const heartbeat = timedOut.failure?.timeoutFailureInfo?.timeoutType === heartbeatTimeout;
    return {
      type: 'activity-timed-out',
      scheduledId: Number(timedOut.scheduledEventId),
      heartbeat,
    };
  }
  const cancelled = event.activityTaskCanceledEventAttributes;
  if (cancelled) {
    return { type: 'activity-cancelled', scheduledId: Number(cancelled.scheduledEventId) };
  }
  const marker = event.markerRecordedEventAttributes;
  // A failed local Activity is recorded too; the run goes on without it.
  if (marker?.markerName === localActivityMarker && marker.details && !marker.failure) {
    const [data] = await decode(marker.details['data']?.payloads);
    const [result] = await decode(marker.details['result']?.payloads);
    return { type: 'local-activity-completed', name: activityTypeOf(data), result };
  }
  return undefined;
}

async function decodeMessage(
  event: HistoryEvent,
  decode: DecodePayloads,
): Promise<Described<RecordedEvent> | undefined> {
  const admitted = event.workflowExecutionUpdateAdmittedEventAttributes;
  if (admitted) {
    const request = await decodeRequest(admitted.request, decode);
    const updateId = admitted.request?.meta?.updateId ?? '';
    return { type: 'update-admitted', updateId, ...request };
  }
  const accepted = event.workflowExecutionUpdateAcceptedEventAttributes;
  if (accepted) {
    const request = accepted.acceptedRequest;
    return {
      type: 'update-accepted',
      updateId: accepted.protocolInstanceId ?? request?.meta?.updateId ?? '',
      ...(request?.input && { request: await decodeRequest(request, decode) }),
    };
  }
  const signal = event.workflowExecutionSignaledEventAttributes;
  if (signal) {
    const [input] = await decode(signal.input?.payloads).catch(toRefused);
    return { type: 'signaled', name: signal.signalName ?? '', input };
  }
  if (event.timerFiredEventAttributes) return { type: 'timer-fired' };
  if (event.workflowExecutionCancelRequestedEventAttributes) return { type: 'cancel-requested' };
  const properties = event.workflowPropertiesModifiedEventAttributes;
  if (properties) {
    const memo: Record<string, unknown> = {};
    for (const [key, payload] of Object.entries(properties.upsertedMemo?.fields ?? {})) {
      [memo[key]] = await decode([payload]);
    }
    return { type: 'memo', memo };
  }
  const closed = await decodeClose(event, decode);
  return closed === undefined ? undefined : { type: 'closed', closed };
}

async function decodeRequest(
  request: temporal.api.update.v1.IRequest | null | undefined,
  decode: DecodePayloads,
): Promise<{ name: string; input: unknown }> {
  const [input] = await decode(request?.input?.args?.payloads);
  return { name: request?.input?.name ?? '', input };
}

async function decodeClose(
  event: HistoryEvent,
  decode: DecodePayloads,
): Promise<Closed | undefined> {
  const completed = event.workflowExecutionCompletedEventAttributes;
  if (completed) {
    const [result] = await decode(completed.result?.payloads);
    return { how: 'completed', result };
  }
  const failed = event.workflowExecutionFailedEventAttributes;
  if (failed) return { how: 'failed', ...(await describeFailure(failed.failure, decode)) };
  if (event.workflowExecutionCanceledEventAttributes) return { how: 'cancelled' };
  if (event.workflowExecutionTerminatedEventAttributes) return { how: 'terminated' };
  if (event.workflowExecutionTimedOutEventAttributes) return { how: 'timed-out' };
  const continued = event.workflowExecutionContinuedAsNewEventAttributes;
  if (continued) return { how: 'continued', temporalRunId: continued.newExecutionRunId ?? '' };
  return undefined;
}

/** A failure converter may have moved the text into a payload of its own, which a codec then encrypts. */
async function describeFailure(
  failure: Failure,
  decode: DecodePayloads,
): Promise<{ failureType: string; message: string }> {
  const failureType = failure?.applicationFailureInfo?.type ?? '';
  if (!failure?.encodedAttributes) return { failureType, message: failure?.message ?? '' };
  const [attributes] = await decode([failure.encodedAttributes]);
  const isRecord = typeof attributes === 'object' && attributes !== null;
  const message = isRecord && 'message' in attributes ? String(attributes.message) : '';
  return { failureType, message };
}

function activityTypeOf(data: unknown): string {
  return typeof data === 'object' && data !== null && 'activity_type' in data
    ? String(data.activity_type)
    : '';
}

function milliseconds(event: HistoryEvent): number {
  const seconds = Number(event.eventTime?.seconds ?? 0);
  return seconds * 1000 + Math.floor((event.eventTime?.nanos ?? 0) / 1_000_000);
}

/** What cannot even be decoded is a message that the run refused; what could not be fetched was no such message. */
function toRefused(error: unknown): readonly unknown[] {
  if (error instanceof Error && error.name === 'EverloopError') throw error;
  return [undefined];
}
