/** The agent run: model, tools, model, …, as a Temporal Workflow. Read it from top to bottom; each phase has a file of its own. */
import { ApplicationFailure } from '@temporalio/workflow';
import { isCallOverBudget } from '../loop/budget.ts';
import { isCompactionDue } from '../loop/compaction.ts';
import { afterModel, beforeIteration, isStopping } from '../loop/decide.ts';
import { failureType } from '../loop/failure-types.ts';
import {
  isPointArgument,
  isRunInput,
  isStateArgument,
  runInputProblem,
} from '../loop/read-input.ts';
import type { AgentRunInput } from '../loop/run-input.ts';
import type { RunResult } from '../loop/run-result.ts';
import type { Stop } from '../loop/stop.ts';
import { compactConversation } from './compact-node.ts';
import { endRun, stopForFailure } from './ending.ts';
import { handleMessages } from './handle-messages.ts';
import { askHooks, hasHook } from './hooks-node.ts';
import { callModel, startIteration } from './model-node.ts';
import { park, waitForBudget } from './park.ts';
import { resolveAgent } from './resolve.ts';
import { restoreState } from './restore.ts';
import { Run } from './run.ts';
import { continueRun, dueContinuation } from './seal.ts';
import { describeRun, refreshSummary, showProgress } from './summary.ts';
import { runTools } from './tools-node.ts';

/**
 * Runs an agent to its end. Closes as completed with a RunResult, as cancelled, or as failed when the run
 * stopped with `error` (details: the RunResult).
 * @throws ApplicationFailure `everloop.invalid_input` when the argument is not a valid AgentRunInput
 */
export async function everloopAgentRun(argument: AgentRunInput): Promise<RunResult> {
  const run = new Run(checked(argument));
  handleMessages(run);
  // A run that goes on from a point does not know yet what it is.
  if (!isPointArgument(argument)) describeRun(run);
  let stop: Stop;
  try {
    if (!isStateArgument(argument)) await begin(run, argument);
    stop = await iterate(run);
  } catch (error) {
    stop = stopForFailure(run, error);
  }
  return await endRun(run, stop);
}

/** What happens once in a run: one that goes on from a state has it behind itself, and from a point all but what another agent brings. */
async function begin(run: Run, argument: AgentRunInput): Promise<void> {
  if (isPointArgument(argument)) await restoreState(run, argument.from);
  const isNewAgent = run.state.agent === undefined;
  if (isNewAgent) await resolveAgent(run, argument);
  run.noteCancellation();
  if (run.state.opening !== undefined) run.apply({ type: 'appended', entries: ['input'] });
  if (isPointArgument(argument)) describeRun(run);
  if (isNewAgent) await askHooks(run, 'onStart');
}

/** Iteration after iteration, until there is a reason to stop. */
async function iterate(run: Run): Promise<Stop> {
  for (;;) {
    // A run that went on while its calls waited for somebody goes on with them.
    if (run.state.pendingToolCalls.length === 0 || isStopping(run.state)) {
      // The boundary: where a run stands still, stops, or makes room for what comes.
      if (run.state.paused !== undefined) await park(run, () => run.state.paused === undefined);
      if (run.state.agent?.onLimit !== undefined) await waitForBudget(run);
      const limit = beforeIteration(run.state, run.now());
      if (limit !== undefined) return finish(run, limit);
      const due = dueContinuation(run);
      if (due !== 'not-yet') await continueRun(run, due);
      if (isStopping(run.state)) continue;
      if (isCompactionDue(run.state)) {
        await compactConversation(run);
        continue; // it was paid for: the limits are looked at again
      }

      startIteration(run);
      showProgress(run);
      await callModel(run);
      const next = afterModel(run.state);
      if (next.kind === 'stop') return next.stop;
      showProgress(run);
    }

    if (run.state.pendingToolCalls.length > 0) await runTools(run);
    if (hasHook(run, 'onLoop') && !isStopping(run.state)) await askHooks(run, 'onLoop');
    if (isStopping(run.state)) continue;
    run.apply({ type: 'iteration-ended' });
    refreshSummary(run);
  }
}

/** At the iteration limit an agent may ask for one last answer, so that the run does not end on a tool result. */
async function finish(run: Run, stop: Stop): Promise<Stop> {
  const wantsAnswer =
    stop.reason === 'max_iterations' && run.state.agent?.onMaxIterations === 'finish';
  if (wantsAnswer && !isCallOverBudget(run.state)) {
    await callModel(run, { finish: true });
    return beforeIteration(run.state, run.now()) ?? stop;
  }
  return stop;
}

function checked(argument: unknown): AgentRunInput {
  if (isRunInput(argument)) return argument;
  throw ApplicationFailure.create({
    type: failureType.invalidInput,
    message: `The run's input is not valid: ${runInputProblem(argument)}`,
    nonRetryable: true,
  });
}
