/** Replays a whole run, all its Temporal runs, as the one run that it is. */
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { payloadDecoder } from '../engine/payload-decoder.ts';
import { decodeEvent } from '../history/decode-event.ts';
import { RunProjection } from '../history/run-projection.ts';
import { continuedState } from '../loop/continuation.ts';
import type { LoopState } from '../loop/loop-state.ts';
import { isRunInput } from '../loop/read-input.ts';
import { firstDifference } from './first-difference.ts';
import type { RecordedPart, RecordedRun } from './recorded-run.ts';
import type { ReplayOptions, ReplayVerdict } from './replay.ts';
import { replayHistory } from './replay.ts';

/**
 * Replays the Temporal runs one after another, and checks that each begins with the state in which the one
 * before it ended. Stops at the first that does not replay.
 */
export async function replayRun(
  { runId, parts }: RecordedRun,
  options: ReplayOptions = {},
): Promise<ReplayVerdict> {
  const states: LoopState[] = [];
  let iterations = 0;
  let handedOver: LoopState | undefined;
  for (const part of parts) {
    const { first, next } = await ends(part, runId, options);
    const difference =
      handedOver === undefined || first === undefined
        ? undefined
        : firstDifference(plain(handedOver), plain(first));
    if (difference !== undefined) {
      const iteration = first?.iteration ?? 0;
      const problem = `it went on after iteration ${iteration} with another ${difference.path} than it had`;
      return { ok: false, iteration, problem, difference, states };
    }
    const verdict = await replayHistory(part.events, runId, options);
    states.push(...verdict.states);
    if (!verdict.ok) return { ...verdict, states };
    iterations = verdict.iterations;
    handedOver = next;
  }
  return { ok: true, iterations, states };
}

/** The state that a Temporal run began with if it went on from one, and the one it handed over if it continued. */
async function ends(
  { events }: RecordedPart,
  runId: string,
  { dataConverter }: ReplayOptions,
): Promise<{ readonly first?: LoopState; readonly next?: LoopState }> {
  const decode = payloadDecoder(loadDataConverter(dataConverter));
  const projection = new RunProjection(runId);
  let first: LoopState | undefined;
  let next: LoopState | undefined;
  try {
    for (const event of events) {
      const recorded = await decodeEvent(event, decode);
      if (recorded === undefined) continue;
      projection.add(recorded);
      if (recorded.type === 'started' && isRunInput(recorded.input) && 'from' in recorded.input) {
        first = recorded.input.from.state;
      }
      if (recorded.type === 'closed' && recorded.closed.how === 'continued' && projection.state) {
        next = continuedState(projection.state);
      }
    }
  } catch {
    // What cannot be read is what the replay itself will name.
    return {};
  }
  return { ...(first !== undefined && { first }), ...(next !== undefined && { next }) };
}

function plain(state: LoopState): unknown {
  return JSON.parse(JSON.stringify(state));
}
