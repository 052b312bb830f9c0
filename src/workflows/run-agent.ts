/** Runs an agent from somebody's own Workflow, as a child of it. */
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import {
  CancellationScope,
  ChildWorkflowCancellationType,
  ChildWorkflowFailure,
  ParentClosePolicy,
  proxyActivities,
  startChild,
  uuid4,
} from '@temporalio/workflow';
import { isRunResult } from '../loop/call-results.ts';
import { failureType } from '../loop/failure-types.ts';
import { maxPayloadBytes } from '../loop/payload-limit.ts';
import { runInputProblem } from '../loop/read-input.ts';
import type { StartInput } from '../loop/run-input.ts';
import type { RunResult } from '../loop/run-result.ts';
import { utf8Length } from '../loop/utf8-length.ts';
import type { everloopAgentRun } from './agent-run.ts';
import { cancelRun, childDescription } from './child-run.ts';

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

interface ReadResult {
  everloopReadResult(run: { readonly runId: string }): Promise<RunResult>;
}

/** Reads what the server has: it fails only while the server does, or no Worker is there. */
const { everloopReadResult } = proxyActivities<ReadResult>({
  startToCloseTimeout: '1 minute', // a history of 50 MiB at most
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

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
  const caller = CancellationScope.current();
  if (caller.consideredCancelled) throw new CancelledFailure(`agent ${agent} was not started`);
  const where = taskQueue === undefined ? {} : { taskQueue };
  // A child's cancellation goes to the Temporal run that was started, and misses one that continued as new:
  // the child is out of the scope's reach and cancelled by its id.
  const child = await CancellationScope.nonCancellable(() =>
    startChild<typeof everloopAgentRun>('everloopAgentRun', {
      ...where,
      ...childDescription(workflowId, start),
      workflowId,
      args: [{ start }],
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      cancellationType: ChildWorkflowCancellationType.ABANDON,
    }),
  );
  let isOpen = true;
  caller.cancelRequested.catch(async () => {
    if (isOpen && caller.consideredCancelled) await cancelRun(workflowId);
  });
  try {
    return await child.result();
  } catch (error) {
    const cause = error instanceof ChildWorkflowFailure ? error.cause : undefined;
    if (cause instanceof CancelledFailure) {
      if (caller.consideredCancelled) throw cause;
      return await everloopReadResult.executeWithOptions(
        { ...where, startToCloseTimeout: '1 minute', summary: `result of ${workflowId}` },
        [{ runId: workflowId }],
      );
    }
    const recorded = cause instanceof ApplicationFailure ? cause.details?.[0] : undefined;
    if (isRunResult(recorded)) return recorded;
    throw error;
  } finally {
    isOpen = false;
  }
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
