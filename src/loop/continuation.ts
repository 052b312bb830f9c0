/** When a run goes on in a new Temporal run, and with what state: a history must stay short enough to be replayed by a cold Worker within a Workflow task. */
import { carriedPrompt } from './budget-reservation.ts';
import type { LoopState } from './loop-state.ts';
import { maxPayloadBytes } from './payload-limit.ts';
import { utf8Length } from './utf8-length.ts';

/** Events of a history: a cold Worker replays them in well under a second, measured. */
const dueEvents = 1_000;
/** Events between two tries to seal the transcript while the blob store fails. */
const retryEvents = 500;
/** The server ends a Workflow at 51,200 events or 50 MiB: from here on the run waits for its blob store. */
const urgentEvents = 10_000;
const urgentBytes = 20 * 1024 * 1024;

/** What the server says of the history so far. */
export interface HistorySize {
  readonly events: number;
  readonly bytes: number;
  /** The server's own advice. */
  readonly suggested: boolean;
}

/** `now`: try to continue, and go on as before if it fails. `urgent`: there is no room left to go on. */
export type Continuation = 'not-yet' | 'now' | 'urgent';

/** @param failedAt events in the history when sealing failed last */
export function nextContinuation(history: HistorySize, failedAt: number | undefined): Continuation {
  if (history.events >= urgentEvents || history.bytes >= urgentBytes) return 'urgent';
  if (history.events < dueEvents && !history.suggested) return 'not-yet';
  return failedAt !== undefined && history.events < failedAt + retryEvents ? 'not-yet' : 'now';
}

/**
 * The state with which the next Temporal run begins, or undefined when it is too large to be one payload.
 * The whole transcript must be sealed.
 */
export function continuedState(state: LoopState): LoopState | undefined {
  const { transcript } = state;
  if (transcript.sealed?.messages !== transcript.count) return undefined;
  const next: LoopState = {
    ...state,
    ...carriedPrompt(state),
    generation: state.generation + 1,
    transcript: { ...transcript, tail: [] },
  };
  return utf8Length(JSON.stringify(next)) <= maxPayloadBytes ? next : undefined;
}
