/** The sub-agents of a run, as its history tells of their starts and ends. */
import { isRunResult } from '../loop/call-results.ts';
import { endOfChild, startedChild, wasCancelled } from '../loop/child-end.ts';
import type { Fact } from '../loop/fact.ts';
import type { LoopState } from '../loop/loop-state.ts';
import { callIdOf } from '../loop/message-ids.ts';
import type { RecordedEvent } from './recorded-event.ts';

/** The fact that a sub-agent has ended. */
export type ChildEnded = Extract<Fact, { type: 'child-ended' }>;

/** Knows which event started which sub-agent. */
export class RecordedChildren {
  readonly #runIds = new Map<number, string>();

  /** The fact of a start; undefined for a child Workflow that is no sub-agent. */
  started(
    event: Extract<RecordedEvent, { type: 'child-initiated' }>,
  ): Extract<Fact, { type: 'child-started' }> | undefined {
    const child = startedChild(event.input);
    if (child === undefined) return undefined;
    const { runId } = event;
    this.#runIds.set(event.id, runId);
    return { type: 'child-started', runId, ...child };
  }

  /** The fact of an end, unless it is still to be read, or nobody waits for it any more. */
  closed(
    state: LoopState | undefined,
    event: Extract<RecordedEvent, { type: 'child-closed' }>,
    at: number,
  ): ChildEnded | undefined {
    const runId = this.#runIds.get(event.initiatedId);
    if (runId === undefined || state === undefined || state.stop !== undefined) return undefined;
    const end = endOfChild(event, state.cancelRequested);
    return end && { type: 'child-ended', at, runId, ...end };
  }
}

/** What a sub-agent came to that recorded no result itself: as it was read, or nothing where it could not be. */
export function readChild(
  state: LoopState | undefined,
  activityId: string,
  result: unknown,
  at: number,
): ChildEnded | undefined {
  const callId = callIdOf(callIdOf(activityId));
  const runId = state?.children?.findLast((child) => child.callId === callId)?.runId;
  if (runId === undefined) return undefined;
  const end = isRunResult(result) ? { result } : { problem: wasCancelled };
  return { type: 'child-ended', at, runId, ...end };
}
