/** LoopState at a point of a recorded history. */
import type { LoopState } from '../loop/loop-state.ts';
import type { RecordedHistory } from './recorded-event.ts';
import { RunProjection } from './run-projection.ts';

/** The state after all that is recorded; undefined when the history holds no valid start of a run. */
export function latestState(history: RecordedHistory): LoopState | undefined {
  const projection = new RunProjection(history.runId);
  for (const event of history.events) projection.add(event);
  return projection.state;
}

/** LoopState at the start, after every iteration, and at the end. */
export function boundaries(history: RecordedHistory): readonly LoopState[] {
  const states: LoopState[] = [];
  const projection = new RunProjection(history.runId, (state) => states.push(state));
  for (const event of history.events) projection.add(event);
  return states;
}

/** LoopState after iteration `iteration` (0: at the start); undefined when the history does not reach its end. */
export function stateAt(history: RecordedHistory, iteration: number): LoopState | undefined {
  return boundaries(history).findLast((state) => state.iteration === iteration);
}
