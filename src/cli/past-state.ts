/** LoopState as it was after an iteration, from the histories alone. */
import { translated } from '../client/client-errors.ts';
import { readHistory } from '../client/read-history.ts';
import { lineage } from '../client/temporal-runs.ts';
import type { RecordedEvent } from '../history/recorded-event.ts';
import { boundaries } from '../history/state-at.ts';
import type { LoopState } from '../loop/loop-state.ts';
import type { Runs } from './engine.ts';

/** What the histories that are still there tell. */
export interface PastState {
  /** The Temporal run in whose history it stands. */
  readonly temporalRunId: string;
  readonly state: LoopState;
}

/**
 * The state after iteration `at` (0: at the start), whichever Temporal run of the run holds it; undefined when the
 * run has not come as far, or what the server still has begins later.
 */
export async function pastState(
  { client }: Runs,
  runId: string,
  at: number,
): Promise<PastState | undefined> {
  return await translated(runId, async () => {
    let found: PastState | undefined;
    for await (const { temporalRunId, origin } of lineage(client, runId)) {
      const events: RecordedEvent[] = [];
      for await (const event of readHistory(client, { runId, temporalRunId })) events.push(event);
      const states = boundaries({ runId, events });
      const state = states.findLast(({ iteration }) => iteration === at);
      if (state !== undefined) found = { temporalRunId, state };
      const first = states[0]?.iteration ?? 0;
      // A run that went on after this very iteration: the history before ends with the same state, messages included.
      const isFound = state !== undefined && (first < at || origin?.how !== 'continued');
      if (isFound) return found;
      if (first < at) return undefined;
    }
    return found;
  });
}
