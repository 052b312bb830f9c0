/** Re-executes a recorded run with this build's Workflow code, without effects, and compares LoopState with what history alone tells. */
import type { DataConverter } from '@temporalio/common';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { temporal } from '@temporalio/proto';
import type { WorkflowBundleOption } from '@temporalio/worker';
import { Worker } from '@temporalio/worker';
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import { payloadDecoder } from '../engine/payload-decoder.ts';
import { workflowBundle } from '../engine/workflow-bundle.ts';
import { decodeEvent } from '../history/decode-event.ts';
import type { RecordedEvent } from '../history/recorded-event.ts';
import { RunProjection } from '../history/run-projection.ts';
import { isBoundaryStep } from '../history/state-at.ts';
import type { LoopState } from '../loop/loop-state.ts';
import { replayName } from '../loop/replay-name.ts';
import type { Difference } from './first-difference.ts';
import { firstDifference } from './first-difference.ts';
import { withTaskFinished } from './unfinished-task.ts';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

export interface ReplayOptions {
  readonly dataConverter?: DataConverter;
  /** Workflow code to replay with; this build's when absent. */
  readonly bundle?: WorkflowBundleOption;
}

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
  const recorded = await decodeAll(events, options);
  const { states: expected, problem: unreadable } = project(runId, recorded);
  const states: LoopState[] = [];
  const problem = await execute(events, runId, options, (state) => states.push(state));
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
  const isClosed = recorded.some((event) => event.type === 'closed');
  if (states.length < expected.length || (isClosed && states.length > expected.length)) {
    const counts = `the Workflow reached ${states.length} states, history tells ${expected.length}`;
    return { ok: false, iteration, problem: counts, states };
  }
  return { ok: true, iterations: expected.at(-1)?.iteration ?? 0, states };
}

/** What history alone tells, as far as it can be read. */
function project(
  runId: string,
  events: readonly RecordedEvent[],
): { readonly states: readonly LoopState[]; readonly problem?: string } {
  const states: LoopState[] = [];
  const projection = new RunProjection(runId, (step) => {
    if (isBoundaryStep(step)) states.push(step.after);
  });
  try {
    for (const event of events) projection.add(event);
    return { states };
  } catch (error) {
    return { states, problem: `the history cannot be read: ${messageOf(error)}` };
  }
}

async function decodeAll(
  events: readonly HistoryEvent[],
  { dataConverter }: ReplayOptions,
): Promise<readonly RecordedEvent[]> {
  const decode = payloadDecoder(loadDataConverter(dataConverter));
  const recorded: RecordedEvent[] = [];
  for (const event of events) {
    const known = await decodeEvent(event, decode);
    if (known !== undefined) recorded.push(known);
  }
  return recorded;
}

/** Runs the Workflow code over the events; returns what went wrong, if anything. */
async function execute(
  events: readonly HistoryEvent[],
  runId: string,
  { dataConverter, bundle }: ReplayOptions,
  onState: (state: LoopState) => void,
): Promise<string | undefined> {
  const ignore = { fn() {}, callDuringReplay: true };
  const tail: TranscriptMessage[] = [];
  const whole = (state: LoopState): LoopState => {
    tail.push(...state.transcript.tail); // the Workflow sends what is new
    return { ...state, transcript: { ...state.transcript, tail: [...tail] } };
  };
  try {
    await Worker.runReplayHistory(
      {
        workflowBundle: bundle ?? (await workflowBundle()),
        replayName,
        ...(dataConverter !== undefined && { dataConverter }),
        sinks: {
          transcript: { begin: ignore, goOn: ignore, append: ignore, end: ignore },
          boundary: {
            reached: {
              fn: (...[, state]: [unknown, LoopState]) => onState(whole(state)),
              callDuringReplay: true,
            },
          },
        },
      },
      { events: withTaskFinished(events) },
      runId,
    );
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Compares two states; of the transcript only what came since the state before, which was compared already. */
function differenceOf(
  wanted: LoopState,
  state: LoopState,
  before: LoopState | undefined,
): Difference | undefined {
  const from = before?.transcript.tail.length ?? 0;
  return firstDifference(asJson(wanted, from), asJson(state, from));
}

/** Member by member as JSON has them: absent and undefined are the same. */
function asJson(state: LoopState, from: number): unknown {
  const { transcript } = state;
  const added = { ...transcript, tail: transcript.tail.slice(from) };
  return JSON.parse(JSON.stringify({ ...state, transcript: added }));
}
