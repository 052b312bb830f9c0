/** Forks a run from somebody's own Workflow, as a child of it. */
import { ApplicationFailure } from '@temporalio/common';
import { uuid4 } from '@temporalio/workflow';
import { failureType } from '../loop/failure-types.ts';
import type { FromPoint } from '../loop/from-point.ts';
import type { UserInput } from '../loop/run-input.ts';
import type { RunResult } from '../loop/run-result.ts';
import { awaitChild } from './await-child.ts';
import { childDescription } from './child-run.ts';

/** Where a fork begins: a message of a run. The result of a run that has ended says it all but for its id. */
export interface ForkSeed extends Pick<RunResult, 'temporalRunId' | 'transcript'> {
  readonly runId: string;
  /** The last message that the fork inherits: its index from 0, or its id; the newest when absent. */
  readonly at?: number | string;
}

/** What a fork is run with. */
export interface ForkRunOptions
  extends Pick<FromPoint, 'edit' | 'agent' | 'title' | 'maxIterations' | 'budget'> {
  /** Id of the fork; a random one when absent, the same in every replay. */
  readonly workflowId?: string;
  /** Task queue of the Workers that have the agent; the calling Workflow's own when absent. */
  readonly taskQueue?: string;
}

/**
 * Goes on from a message of another run, to the end, and returns the fork's result for every stop reason:
 * `forkRun({ runId, ...result }, 'And in French?')`. The run that is forked stays as it is. Cancellation is as with
 * `runAgent`.
 * @param input what the user says next; undefined where the seed ends with a user's or a tool's message
 * @throws ApplicationFailure `everloop.invalid_input` when the seed does not name its message
 * @throws CancelledFailure when the caller was cancelled
 * @throws ChildWorkflowFailure when the fork ended without a result: it was terminated
 */
export async function forkRun(
  { runId, temporalRunId, transcript, at }: ForkSeed,
  input?: UserInput,
  options: ForkRunOptions = {},
): Promise<RunResult> {
  const { workflowId = uuid4(), taskQueue, ...terms } = options;
  const message = at ?? (transcript === undefined ? undefined : transcript.messages - 1);
  if (temporalRunId === undefined || message === undefined) {
    throw ApplicationFailure.create({
      type: failureType.invalidInput,
      message: `Run ${runId} cannot be forked like that: name its Temporal run (temporalRunId) and a message (at).`,
      nonRetryable: true,
    });
  }
  const from: FromPoint = {
    point: { runId, temporalRunId, message },
    previous: { temporalRunId, how: 'forked' },
    ...terms,
    ...(input !== undefined && { input }),
  };
  const shown = {
    agent: terms.agent ?? '',
    input: input ?? '',
    title: terms.title ?? `fork of ${runId}`,
  };
  return await awaitChild(workflowId, `the fork of ${runId}`, {
    ...childDescription(workflowId, shown, { forkedFrom: runId }),
    ...(taskQueue !== undefined && { taskQueue }),
    args: [{ from }],
  });
}
