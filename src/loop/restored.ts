/** What a run goes on with once the point that it goes on from was found. */
import type { Departure } from './from-point.ts';
import type { LoopState } from './loop-state.ts';

/** What the Activity that looks for the point returns. */
export interface Restored {
  readonly how: Departure;
  /** The state to go on with; its whole transcript is sealed. Without an agent: that is still to be resolved. */
  readonly state: LoopState;
  /** The point asked for lay inside a tool batch: index of the message that was named, and of the last that was kept. */
  readonly moved?: { readonly from: number; readonly to: number };
}

/** Ids of received messages that are remembered. */
const seenLength = 1_000;

/** The state after the point was found: what the run has met meanwhile is not lost. */
export function restore(before: LoopState, { how, state }: Restored): LoopState {
  const { runId, firstTemporalRunId, startedAt, title, opening, paused } = before;
  return {
    ...state,
    runId,
    firstTemporalRunId,
    ...(how === 'forked' && { startedAt }),
    ...(title !== '' && { title }),
    ...(opening !== undefined && { opening }),
    inbox: [...state.inbox, ...before.inbox],
    received: state.received + before.received,
    seen: [...state.seen, ...before.seen].slice(-seenLength),
    refused: state.refused + before.refused,
    cancelRequested: before.cancelRequested,
    ...(paused !== undefined && { paused }),
  };
}
