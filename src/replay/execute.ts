/** Runs the Workflow code over recorded histories, one after another on one replay Worker. */
import { readFile } from 'node:fs/promises';
import type { DataConverter } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import type { WorkflowBundleOption } from '@temporalio/worker';
import { Worker } from '@temporalio/worker';
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import { workflowBundle } from '../engine/workflow-bundle.ts';
import type { LoopState } from '../loop/loop-state.ts';
import { replayName } from '../loop/replay-name.ts';
import { withTaskFinished } from './unfinished-task.ts';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** What a run is replayed with. */
export interface ReplayOptions {
  readonly dataConverter?: DataConverter;
  /** Workflow code to replay with; this build's when absent. */
  readonly bundle?: WorkflowBundleOption;
}

/** What the code did with one history. */
export interface Executed {
  /** LoopState wherever the Workflow reached a boundary. */
  readonly states: readonly LoopState[];
  /** What went wrong, if anything. */
  readonly problem?: string;
}

/**
 * Executes the histories in turn, each when it is asked for. One Worker does all of them: making one takes as
 * long as thousands of events. It executes one history at a time, so whatever it tells is of the newest.
 */
export async function* execute(
  runId: string,
  histories: readonly (readonly HistoryEvent[])[],
  options: ReplayOptions,
): AsyncGenerator<Executed, void, undefined> {
  let states: LoopState[] = [];
  let tail: TranscriptMessage[] = [];
  let agent: LoopState['agent'];
  const reached = (state: LoopState): void => {
    // The Workflow sends what is new.
    tail.push(...state.transcript.tail);
    agent = state.agent ?? agent;
    const transcript = { ...state.transcript, tail: [...tail] };
    states.push({ ...state, ...(agent !== undefined && { agent }), transcript });
  };
  function* inTurn() {
    for (const events of histories) {
      states = [];
      tail = [];
      agent = undefined;
      yield { workflowId: runId, history: { events: [...withTaskFinished(events)] } };
    }
  }
  try {
    const workerOptions = await optionsOf(options, reached);
    for await (const { error } of Worker.runReplayHistories(workerOptions, inTurn())) {
      yield { states, ...(error !== undefined && { problem: messageOf(error) }) };
    }
  } catch (error) {
    yield { states, problem: messageOf(error) };
  }
}

async function optionsOf(
  { dataConverter, bundle }: ReplayOptions,
  reached: (state: LoopState) => void,
) {
  const ignore = { fn() {}, callDuringReplay: true };
  return {
    workflowBundle: await withoutStacks(bundle ?? (await workflowBundle())),
    replayName,
    ...(dataConverter !== undefined && { dataConverter }),
    sinks: {
      transcript: { begin: ignore, goOn: ignore, append: ignore, compact: ignore, end: ignore },
      boundary: {
        reached: {
          fn: (...[, state]: [unknown, LoopState]) => reached(state),
          callDuringReplay: true,
        },
      },
    },
  };
}

/** A source map of nothing: the SDK asks for one, and reading a large one takes as long as hundreds of events. */
const noSourceMap = Buffer.from('{"version":3,"file":"replay.js","sources":[],"mappings":""}');
const sourceMapComment = '//# sourceMappingURL=data:';

/**
 * The SDK takes a stack trace for each Promise that Workflow code makes, to answer a Query that nobody asks here:
 * a third of the time of a replay. What a replay tells of an error is its message.
 */
async function withoutStacks(bundle: WorkflowBundleOption): Promise<{ readonly code: string }> {
  const code = 'code' in bundle ? bundle.code : await readFile(bundle.codePath, 'utf8');
  const end = code.lastIndexOf(sourceMapComment);
  if (end < 0) return { code };
  const map = `${sourceMapComment}application/json;base64,${noSourceMap.toString('base64')}`;
  return { code: `Error.stackTraceLimit = 0;\n${code.slice(0, end)}${map}` };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
