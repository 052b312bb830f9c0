/** Reads the durable events of a run across all its Temporal runs, each once and in order. */
import type { Client } from '@temporalio/client';
import type { RecordedEvent } from '../history/recorded-event.ts';
import { RunEventProjection } from '../history/run-event-projection.ts';
import type { RunEvent } from '../loop/events.ts';
import { isAfter, toEventPosition } from './event-position.ts';
import { readHistory } from './read-history.ts';
import {
  newestTemporalRun,
  nextTemporalRun,
  oldestTemporalRun,
  temporalRunOf,
} from './temporal-runs.ts';

/** Which events, and for how long. */
export interface EventsOptions {
  /** Id of the last event that the watcher has: only what came after it is told. */
  readonly after?: string;
  /** Wait for further events until the run has ended; true unless said otherwise. */
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

/** @throws EverloopError `invalid_input` for an `after` that is no event of the run */
export async function* readEvents(
  client: Client,
  runId: string,
  options: EventsOptions = {},
): AsyncGenerator<RunEvent, void, undefined> {
  const { after, follow = true, signal } = options;
  const position = after === undefined ? undefined : toEventPosition(after);
  let temporalRunId: string | undefined =
    position === undefined
      ? await oldestTemporalRun(client, runId)
      : await temporalRunOf(client, runId, position);
  const reading = { follow, ...(signal !== undefined && { signal }) };
  let isTold = (event: RunEvent) => position !== undefined && !isAfter(event.id, position);
  while (temporalRunId !== undefined) {
    const projection = new RunEventProjection(runId, temporalRunId);
    const passed = new Map<number, number>();
    let next: Successor | undefined;
    for await (const event of readHistory(client, { runId, temporalRunId }, reading)) {
      passed.set(event.id, event.at);
      const events = projection.add(event);
      next = await successorOf(client, runId, temporalRunId, event);
      // A run that a reset ended has not ended: it goes on in another Temporal run, with what is open now.
      if (next?.how === 'reset') break;
      // One that was taken back has not ended either, but leaves all that behind.
      const isLeft = next?.how === 'left';
      yield* events.filter((told) => !isTold(told) && !(isLeft && told.type === 'run-end'));
    }
    isTold = next?.how === 'reset' ? isCopied(passed) : () => false;
    temporalRunId = next?.temporalRunId;
  }
}

/** Where a run goes on after one of its Temporal runs, and what becomes of that one. */
interface Successor {
  readonly temporalRunId: string;
  readonly how: 'continued' | 'left' | 'reset';
}

/** The Temporal run in which the run goes on after `event`, if that closed one. */
async function successorOf(
  client: Client,
  runId: string,
  temporalRunId: string,
  event: RecordedEvent,
): Promise<Successor | undefined> {
  if (event.type !== 'closed') return undefined;
  if (event.closed.how === 'continued') {
    return { temporalRunId: event.closed.temporalRunId, how: 'continued' };
  }
  if ((await newestTemporalRun(client, runId)) === temporalRunId) return undefined;
  const next = await nextTemporalRun(client, runId, temporalRunId);
  if (next === undefined) return undefined;
  const { origin } = next;
  const isLeft = origin?.previous === temporalRunId && origin.how !== 'continued';
  return { temporalRunId: next.temporalRunId, how: isLeft ? 'left' : 'reset' };
}

/** After a reset the new history begins with a copy of the old one, which was told already. */
function isCopied(passed: ReadonlyMap<number, number>): (event: RunEvent) => boolean {
  return (told) => passed.get(toEventPosition(told.id).event) === told.at;
}
