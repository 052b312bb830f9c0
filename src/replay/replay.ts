/** Compares what the Workflow code did with a recorded history with what that history tells by itself. */
import type { temporal } from '@temporalio/proto';
import type { LoopState } from '../loop/loop-state.ts';
import type { Executed, ReplayOptions } from './execute.ts';
import { execute } from './execute.ts';
import type { Difference } from './first-difference.ts';
import { firstDifference } from './first-difference.ts';
import type { RecordedStates } from './recorded-states.ts';
import { readStates } from './recorded-states.ts';

export type { ReplayOptions } from './execute.ts';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** What a replay found. `states`: LoopState at the start, after each iteration, and at the end. */
export type ReplayVerdict =
  | { readonly ok: true; readonly iterations: number; readonly states: readonly LoopState[] }
  | {
      readonly ok: false;
      /** The iteration in which code and history part. */
      readonly iteration: number;
      readonly problem: string;
      readonly difference?: Difference;
      readonly states: readonly LoopState[];
    };

/**
 * Replays the events of one Temporal run. Proves three things: the code makes the recorded commands again,
 * it does not throw (not even in a last task that never completed), and its LoopState is the one that the
 * history projection tells, after every iteration.
 */
export async function replayHistory(
  events: readonly HistoryEvent[],
  runId: string,
  options: ReplayOptions = {},
): Promise<ReplayVerdict> {
  const executions = execute(runId, [events], options);
  const [recorded, { value: executed }] = await Promise.all([
    readStates(runId, events, options),
    executions.next(),
  ]).finally(() => executions.return());
  if (!executed) throw new Error('a replay came to no end');
  return judge(recorded, executed);
}

/** The verdict on one Temporal run. */
export function judge(recorded: RecordedStates, { states, problem }: Executed): ReplayVerdict {
  const { states: expected, isClosed, problem: unreadable } = recorded;
  for (const [index, state] of states.entries()) {
    const wanted = expected[index];
    if (wanted === undefined) break;
    const difference = differenceOf(wanted, state, states[index - 1]);
    if (difference === undefined) continue;
    const { iteration } = state;
    return {
      ok: false,
      iteration,
      problem: `after iteration ${iteration} the Workflow's ${difference.path} differs from history's`,
      difference,
      states,
    };
  }
  const iteration = (states.at(-1)?.iteration ?? 0) + 1;
  if (problem !== undefined) return { ok: false, iteration, problem, states };
  if (unreadable !== undefined) return { ok: false, iteration, problem: unreadable, states };
  // An open run may go beyond its record: its last task was never completed, so history cannot tell of it.
  if (states.length < expected.length || (isClosed && states.length > expected.length)) {
    const counts = `the Workflow reached ${states.length} states, history tells ${expected.length}`;
    return { ok: false, iteration, problem: counts, states };
  }
  return { ok: true, iterations: expected.at(-1)?.iteration ?? 0, states };
}

/** Compares two states; of the transcript only what came since the state before, which was compared already. */
function differenceOf(
  wanted: LoopState,
  state: LoopState,
  before: LoopState | undefined,
): Difference | undefined {
  const from = before?.transcript.tail.length ?? 0;
  return firstDifference(since(wanted, from), since(state, from));
}

function since(state: LoopState, from: number): LoopState {
  const { transcript } = state;
  return { ...state, transcript: { ...transcript, tail: transcript.tail.slice(from) } };
}
