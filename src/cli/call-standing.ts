/** How a tool call that has no result yet stands: what the run has recorded, set right by what the server knows. */
import type { RunSnapshot } from '../client/run-snapshot.ts';
import type { LoopState, PendingToolCall } from '../loop/loop-state.ts';
import { isOpen } from '../loop/run-status.ts';

/**
 * `awaiting`: somebody has to decide on it or to answer it; `waiting`: no Worker has it; `running`: a Worker or a
 * sub-agent works on it; `lost`: the Worker that had it is not there any longer; `returned`: its end is recorded and
 * not read yet.
 */
export type CallStanding = 'proposed' | 'awaiting' | 'waiting' | 'running' | 'lost' | 'returned';

/** The standing of a call of the run's present iteration. */
export function callStanding(
  { status, open, workers }: Pick<RunSnapshot, 'status' | 'open' | 'workers'>,
  { iteration, children = [] }: Pick<LoopState, 'iteration' | 'children'>,
  pending: Exclude<PendingToolCall, { status: 'settled' }>,
): CallStanding {
  if (pending.status !== 'running') return pending.status;
  // Nobody works for a run that was closed from outside.
  if (!isOpen(status)) return 'lost';
  // Its run lists it, and says itself how it stands.
  if (children.some(({ callId }) => callId === pending.call.id)) return 'running';
  const activity = open.find(({ id }) => id === `${iteration}/${pending.call.id}`);
  if (activity === undefined) return 'returned';
  if (activity.status === 'scheduled') return 'waiting';
  return workers > 0 ? 'running' : 'lost';
}
