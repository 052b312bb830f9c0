/** Replays a whole run, all its Temporal runs, as the one run that it is. */
import type { LoopState } from '../loop/loop-state.ts';
import { execute } from './execute.ts';
import { firstDifference } from './first-difference.ts';
import type { RecordedRun } from './recorded-run.ts';
import { readStates } from './recorded-states.ts';
import type { ReplayOptions, ReplayVerdict } from './replay.ts';
import { judge } from './replay.ts';

/**
 * Replays the Temporal runs one after another, and checks that each begins with the state in which the one
 * before it ended, or goes on from a point of a history: then the states after that point are left out, though
 * they were replayed. Stops at the first that does not replay.
 */
export async function replayRun(
  { runId, parts }: RecordedRun,
  options: ReplayOptions = {},
): Promise<ReplayVerdict> {
  const states: LoopState[] = [];
  let iterations = 0;
  let handedOver: LoopState | undefined;
  let isBroken = false;
  const histories = parts.map(({ events }) => events);
  const executions = execute(runId, histories, options);
  try {
    for (const [index, events] of histories.entries()) {
      // Side by side: the code runs in a thread of its own.
      const [recorded, { value: executed }] = await Promise.all([
        readStates(runId, events, options),
        executions.next(),
      ]);
      const { isFromPoint } = recorded;
      const broken = isFromPoint ? undefined : brokenHandover(handedOver, recorded.first);
      if (broken !== undefined) return { ok: false, ...broken, states };
      if (!isFromPoint && isBroken) {
        const problem = `the record of part ${index} of ${histories.length} breaks off: it does not continue as new`;
        return { ok: false, iteration: iterations, problem, states };
      }
      if (!executed) throw new Error('a replay came to no end');
      const verdict = judge(recorded, executed);
      if (isFromPoint) leaveBehind(states, verdict.states[0]);
      states.push(...verdict.states);
      if (!verdict.ok) return { ...verdict, states };
      ({ iterations } = verdict);
      handedOver = recorded.next;
      isBroken = handedOver === undefined;
    }
  } finally {
    await executions.return();
  }
  return { ok: true, iterations, states };
}

/** A run that was taken back has left behind what it had come to since. */
function leaveBehind(states: LoopState[], restored: LoopState | undefined): void {
  if (restored === undefined) return;
  const isKept = ({ iteration, stop }: LoopState) =>
    iteration <= restored.iteration && stop === undefined;
  states.splice(0, states.length, ...states.filter(isKept));
}

/** How the state that a Temporal run began with differs from what the one before it handed over. */
function brokenHandover(handedOver: LoopState | undefined, first: LoopState | undefined) {
  if (handedOver === undefined || first === undefined) return undefined;
  const difference = firstDifference(handedOver, first);
  if (difference === undefined) return undefined;
  const { iteration } = first;
  const problem = `it went on after iteration ${iteration} with another ${difference.path} than it had`;
  return { iteration, problem, difference };
}
