/** LoopState at a point of a recorded history: of one Temporal run. */
import { isBoundary } from '../loop/is-boundary.ts';
import type { LoopState } from '../loop/loop-state.ts';
import type { RecordedHistory } from './recorded-event.ts';
import type { Step } from './run-projection.ts';
import { RunProjection } from './run-projection.ts';

/** The state after all that is recorded; undefined when the history holds no valid start of a run. */
export function latestState(history: RecordedHistory): LoopState | undefined {
  const projection = new RunProjection(history.runId);
  for (const event of history.events) projection.add(event);
  return projection.state;
}

/** LoopState at the start, after every iteration, once stopped, and at the end. */
export function boundaries(history: RecordedHistory): readonly LoopState[] {
  const states: LoopState[] = [];
  const projection = new RunProjection(history.runId, (step) => {
    if (isBoundaryStep(step)) states.push(step.after);
  });
  for (const event of history.events) projection.add(event);
  return states;
}

/** Whether the state after the step is one that a replay compares. */
export function isBoundaryStep({ fact, before }: Step): boolean {
  if (fact.type === 'awaits-state') return false;
  return before === undefined || fact.type === 'went-on' || isBoundary(fact);
}

/**
 * LoopState after iteration `iteration` (0: at the start); undefined when the history does not reach its end.
 * Of a run that stopped there: at its very end.
 */
export function stateAt(history: RecordedHistory, iteration: number): LoopState | undefined {
  return boundaries(history).findLast((state) => state.iteration === iteration);
}
