/** The calls of a run that have no result yet, as `show` lists them. */
import type { RunSnapshot } from '../client/run-snapshot.ts';
import type { LoopState } from '../loop/loop-state.ts';
import { isOpen } from '../loop/run-status.ts';
import { callStanding } from './call-standing.ts';
import { formatSpan } from './format.ts';
import { waitingCallLine } from './waiting-calls.ts';

/** A line for each: how it stands, and of one that waits for somebody for what, since when and until when. */
export function pendingLines(
  run: Pick<RunSnapshot, 'status' | 'open' | 'workers'>,
  state: Pick<LoopState, 'iteration' | 'pendingToolCalls' | 'children'>,
  now: number,
): readonly string[] {
  return state.pendingToolCalls.flatMap((pending) => {
    if (pending.status === 'settled') return [];
    const standing = callStanding(run, state, pending);
    const line = waitingCallLine(pending);
    if (pending.status !== 'awaiting' || !isOpen(run.status)) return [`${standing}: ${line}`];
    const { kind, since, deadline } = pending.wait;
    const until = deadline === undefined ? '' : `, until ${new Date(deadline).toISOString()}`;
    return [`${standing} ${kind} since ${formatSpan(now - since)}${until}: ${line}`];
  });
}
