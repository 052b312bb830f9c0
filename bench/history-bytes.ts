/** How large a run's history is: each event as it is encoded, and what the server says. */
import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import proto from '@temporalio/proto';
import { readRawHistory } from '../src/client/read-history.ts';
import { eventBytes } from '../src/testing/history-bytes.ts';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** One event of a history. */
export interface SizedEvent {
  /** Name of the event's type, such as `ACTIVITY_TASK_SCHEDULED`. */
  readonly type: string;
  readonly bytes: number;
}

/** The size of a whole run, over all its Temporal runs. */
export interface HistorySize {
  readonly events: readonly SizedEvent[];
  /** Sum of the encoded events. */
  readonly bytes: number;
  /** What describe answers. */
  readonly serverBytes: number;
}

/** Measures a run from its newest Temporal run back to its first, for a long run continues as new. */
export async function historySize(client: Client, runId: string): Promise<HistorySize> {
  let events: SizedEvent[] = [];
  let serverBytes = 0;
  let temporalRunId: string | undefined;
  do {
    const handle = client.workflow.getHandle(runId, temporalRunId);
    serverBytes += (await handle.describe()).historySize ?? 0;
    const of = { runId, ...(temporalRunId !== undefined && { temporalRunId }) };
    const raw = await Array.fromAsync(readRawHistory(client, of));
    events = [...raw.map(sized), ...events];
    temporalRunId =
      raw[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId || undefined;
  } while (temporalRunId !== undefined);
  return { events, bytes: sum(events), serverBytes };
}

/**
 * Bytes per iteration from iteration `from` to `to` (inclusive, from 1), read between the events that
 * schedule model calls. `callsPerIteration`: Activities scheduled in an iteration.
 */
export function bytesPerIteration(
  events: readonly SizedEvent[],
  { from, to, callsPerIteration }: { from: number; to: number; callsPerIteration: number },
): number {
  const scheduled = events.flatMap(({ type }, index) =>
    type === 'ACTIVITY_TASK_SCHEDULED' ? [index] : [],
  );
  const first = scheduled[(from - 1) * callsPerIteration];
  const next = scheduled[to * callsPerIteration];
  if (first === undefined || next === undefined) {
    throw new RangeError(`the history does not hold iterations ${from} to ${to} and the next`);
  }
  return sum(events.slice(first, next)) / (to - from + 1);
}

/** Bytes by type of event, largest first: where a history's bytes go. */
export function bytesByType(events: readonly SizedEvent[]): Readonly<Record<string, number>> {
  const byType = Object.groupBy(events, ({ type }) => type);
  return Object.fromEntries(
    Object.entries(byType)
      .map(([type, of = []]): [string, number] => [type, sum(of)])
      .sort(([, a], [, b]) => b - a),
  );
}

function sized(event: HistoryEvent): SizedEvent {
  const { EventType } = proto.temporal.api.enums.v1;
  return {
    type: (EventType[event.eventType ?? 0] ?? '').replace('EVENT_TYPE_', ''),
    bytes: eventBytes(event),
  };
}

function sum(events: readonly SizedEvent[]): number {
  return events.reduce((total, { bytes }) => total + bytes, 0);
}
