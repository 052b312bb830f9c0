/** The facts of a model Activity's end. */
import { isModelCallResult } from '../loop/call-results.ts';
import type { Fact } from '../loop/fact.ts';
import type { LoopState } from '../loop/loop-state.ts';
import { isCompactActivityId } from '../loop/message-ids.ts';
import { toCallError } from '../loop/model-failure.ts';
import type { Result } from './results.ts';
import { failureOf } from './results.ts';

type ModelEnd = Extract<
  Fact,
  { type: 'appended' | 'compacted' | 'model-ended' | 'model-failed' | 'model-interrupted' }
>;

/** What the result comes to; nothing for what is none: it ends the run with an error, which the memo tells. */
export function modelEnded(activityId: string, result: unknown, at: number): readonly ModelEnd[] {
  if (isCompactActivityId(activityId)) {
    const summary = isModelCallResult(result) ? { result } : {};
    return [{ type: 'compacted', at, activityId, ...summary }];
  }
  if (!isModelCallResult(result)) return [];
  const ended = { type: 'model-ended', at, activityId, result } as const;
  return result.message === undefined
    ? [ended]
    : [ended, { type: 'appended', entries: [activityId] }];
}

/** What an end without a result comes to; nothing for one that the run's own cancellation called off. */
export function modelFailed(
  state: LoopState | undefined,
  activityId: string,
  event: Extract<Result, { type: 'activity-failed' | 'activity-timed-out' | 'activity-cancelled' }>,
  at: number,
): ModelEnd | undefined {
  if (isCompactActivityId(activityId)) return { type: 'compacted', at, activityId };
  if (event.type !== 'activity-cancelled') {
    return { type: 'model-failed', at, activityId, error: toCallError(failureOf(event)) };
  }
  return state?.cancelRequested === false ? { type: 'model-interrupted', activityId } : undefined;
}
