/** The words for where a run is: the same in lists, snapshots, events and on the screen. */
import type { LoopState } from './loop-state.ts';
import type { StopReason } from './stop.ts';
import { isParkedInTools } from './wait.ts';

/** How a run ended: by its own reason, or closed by Temporal's own tools without one. */
export type RunEnd = StopReason | 'terminated' | 'timed_out';

/** What an open run may be waiting for, while nothing of it works. */
export type RunWait = 'waiting:approval' | 'waiting:answer' | 'waiting:budget' | 'paused';

const waits: readonly string[] = [
  'waiting:approval',
  'waiting:answer',
  'waiting:budget',
  'paused',
] satisfies RunWait[];

/** Whether a recorded status says that the run waits. */
export function isWait(status: string | undefined): status is RunWait {
  return status !== undefined && waits.includes(status);
}

/** Where a run is: at work, waiting, or how it ended. */
export type RunStatus = 'running' | RunWait | RunEnd;

/** Every status that a run can have. */
export const runStatuses: readonly RunStatus[] = [
  'running',
  'waiting:approval',
  'waiting:answer',
  'waiting:budget',
  'paused',
  'completed',
  'max_iterations',
  'budget',
  'aborted',
  'cancelled',
  'error',
  'terminated',
  'timed_out',
];

/** Whether a run of that status has not ended. */
export function isOpen(status: RunStatus): status is 'running' | RunWait {
  return status === 'running' || isWait(status);
}

/** The outside view of the loop's phase. */
export function statusOf(state: LoopState): RunStatus {
  return state.stop?.reason ?? waitOf(state) ?? 'running';
}

/** What the run waits for; undefined when it works, or could. */
export function waitOf(state: LoopState): RunWait | undefined {
  if (isParkedInTools(state)) {
    const isApproval = state.pendingToolCalls.some(
      (pending) => pending.status === 'awaiting' && pending.wait.kind === 'approval',
    );
    return isApproval ? 'waiting:approval' : 'waiting:answer';
  }
  if (isPausedHere(state)) return 'paused';
  return state.budgetWait === undefined ? undefined : 'waiting:budget';
}

/** Whether the run is paused where it may stand still. */
export function isPausedHere({ paused, phase }: LoopState): boolean {
  return paused !== undefined && (phase.kind === 'boundary' || phase.kind === 'starting');
}
