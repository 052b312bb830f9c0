/** How much an iteration of a run leaves in history: what makes long runs cheap or impossible. */
import type { temporal } from '@temporalio/proto';
import proto from '@temporalio/proto';
import type { RunHandle } from '../client/run-handle.ts';
import { iterationOf } from '../loop/message-ids.ts';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** Bytes of the event as Temporal encodes it. */
export function eventBytes(event: HistoryEvent): number {
  return proto.temporal.api.history.v1.HistoryEvent.encode(event).finish().length;
}

/**
 * Bytes of history that each iteration of a run has added, from the first on: they must not grow with the
 * length of the run.
 *
 * What counts for an iteration: all recorded events, as they are encoded, from the one that schedules its first
 * Activity to the last before the next iteration; if the run continues as new in between, that counts too. The
 * start of the run (its input, the agent) and its end (hooks of `onEnd`, sealing of the transcript, the result)
 * count for none. Blobs do not count: they are no history.
 * @throws EverloopError `not_found`
 */
export async function historyBytesPerIteration(run: RunHandle): Promise<readonly number[]> {
  const { parts } = await run.recorded();
  return bytesPerIteration(parts.flatMap(({ events }) => events));
}

/** The same of events at hand, oldest first. */
export function bytesPerIteration(events: readonly HistoryEvent[]): readonly number[] {
  const bytes: number[] = [];
  let open = 0;
  // What follows an iteration and may be the end of the run.
  let between: number | undefined;
  for (const event of events) {
    const activityId = event.activityTaskScheduledEventAttributes?.activityId ?? '';
    const iteration = iterationOf(activityId);
    if (iteration > bytes.length) {
      if (bytes.length > 0) bytes[bytes.length - 1] = open + (between ?? 0);
      bytes.push(0);
      open = 0;
      between = undefined;
    } else if (isAfterIteration(activityId)) {
      between ??= 0;
    }
    if (between === undefined) open += eventBytes(event);
    else between += eventBytes(event);
    if (bytes.length === 0) open = 0;
  }
  if (bytes.length > 0) bytes[bytes.length - 1] = open;
  return bytes;
}

function isAfterIteration(activityId: string): boolean {
  return activityId.includes('/seal/') || activityId.endsWith('/hook/onEnd');
}
