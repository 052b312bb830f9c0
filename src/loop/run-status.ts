/** The words for where a run is: the same in lists, snapshots, events and on the screen. */
import type { LoopState } from './loop-state.ts';
import type { StopReason } from './stop.ts';

/** How a run ended: by its own reason, or closed by Temporal's own tools without one. */
export type RunEnd = StopReason | 'terminated' | 'timed_out';

export type RunStatus = 'running' | RunEnd;

/** The outside view of the loop's phase. */
export function statusOf(state: LoopState): RunStatus {
  return state.stop?.reason ?? 'running';
}
