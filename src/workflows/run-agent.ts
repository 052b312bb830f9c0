/** Runs an agent from somebody's own Workflow, as a child of it. */
import { ApplicationFailure } from '@temporalio/common';
import { uuid4 } from '@temporalio/workflow';
import { failureType } from '../loop/failure-types.ts';
import { maxPayloadBytes } from '../loop/payload-limit.ts';
import { runInputProblem } from '../loop/read-input.ts';
import type { StartInput } from '../loop/run-input.ts';
import type { RunResult } from '../loop/run-result.ts';
import { utf8Length } from '../loop/utf8-length.ts';
import { awaitChild } from './await-child.ts';
import { childDescription } from './child-run.ts';

/** What an agent is run with. */
export interface RunAgentOptions extends Omit<StartInput, 'agent'> {
  /** Id of the run; a random one when absent, the same in every replay. */
  readonly workflowId?: string;
  /** Task queue of the Workers that have the agent; the calling Workflow's own when absent. */
  readonly taskQueue?: string;
}

/** The agents of a configuration, as far as a caller cares: their names. */
interface AgentNames {
  readonly agents: Readonly<Record<string, unknown>>;
}

/**
 * Runs an agent to its end, as a child Workflow, and returns its result for every stop reason: a run that
 * somebody cancelled or that ended with `error` is a result too. `runAgent<typeof config>` knows the agents' names.
 *
 * When the caller is cancelled, the run is asked to stop and waited for, so that its calls are closed and its
 * transcript is kept; then the cancellation goes on in the caller. When the caller is closed in any other way,
 * the run is asked to stop as well (parentClosePolicy REQUEST_CANCEL).
 *
 * @throws ApplicationFailure `everloop.invalid_input` when the run cannot be started with that
 * @throws CancelledFailure when the caller was cancelled
 * @throws ChildWorkflowFailure when the run ended without a result: it was terminated
 */
export async function runAgent<Config extends AgentNames = AgentNames>(
  agent: keyof Config['agents'] & string,
  options: RunAgentOptions,
): Promise<RunResult> {
  const { workflowId = uuid4(), taskQueue, ...rest } = options;
  const start = checked({ agent, ...rest });
  const where = taskQueue === undefined ? {} : { taskQueue };
  return await awaitChild(workflowId, `agent ${agent}`, {
    ...where,
    ...childDescription(workflowId, start),
    args: [{ start }],
  });
}

/** Checked as far as can be without schemas, which the run's first Activity has. */
function checked(start: StartInput): StartInput {
  const problem = runInputProblem({ start });
  if (problem !== undefined) throw invalid(problem);
  const bytes = utf8Length(JSON.stringify(start));
  if (bytes > maxPayloadBytes) {
    throw invalid(`input.start: has ${bytes} bytes of at most ${maxPayloadBytes}`);
  }
  return start;
}

function invalid(problem: string): ApplicationFailure {
  return ApplicationFailure.create({
    type: failureType.invalidInput,
    message: `The agent cannot be run with that: ${problem}`,
    nonRetryable: true,
  });
}
