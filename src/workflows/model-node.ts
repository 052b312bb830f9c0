/** The model node: one call of the model, from the inbox to the appended answer. */

import { ApplicationFailure } from '@temporalio/workflow';
import { isModelCallResult } from '../loop/call-results.ts';
import { responseEntries } from '../loop/close-calls.ts';
import { receivable } from '../loop/decide.ts';
import { failureType } from '../loop/failure-types.ts';
import { modelActivityId } from '../loop/message-ids.ts';
import { modelOptions, nodes } from './activities.ts';
import type { Run } from './run.ts';
import { withinGrace } from './within-grace.ts';

/** Starts the next iteration: takes the waiting user messages from the inbox. */
export function startIteration(run: Run): void {
  run.apply({
    type: 'iteration-started',
    iteration: run.state.iteration + 1,
    received: receivable(run.state),
  });
}

/**
 * Calls the model and appends its answer.
 * @throws ActivityFailure when the call failed for good; CancelledFailure when it never started
 */
export function callModel(run: Run): Promise<void> {
  return call(run, modelActivityId(run.state.iteration), false);
}

/** The last call of a run that reached its iteration limit and shall end with an answer: no tools are offered. */
export function callModelToFinish(run: Run): Promise<void> {
  return call(run, `${modelActivityId(run.state.iteration)}.2`, true);
}

async function call(run: Run, activityId: string, finish: boolean): Promise<void> {
  const { agent, iteration, transcript, unsent } = run.state;
  if (agent === undefined) throw new Error('the agent is not resolved yet');
  run.apply({ type: 'model-started' });
  const asking = nodes.everloopCallModel.executeWithOptions(modelOptions(agent, activityId), [
    {
      iteration,
      upTo: transcript.count,
      append: [...unsent.append],
      ...(unsent.received.length > 0 && { received: [...unsent.received] }),
      digest: transcript.digest,
      ...(finish && { finish }),
    },
  ]);
  const answer = await withinGrace(run, asking, (result: unknown) => ({ result }), rethrow);
  run.noteCancellation();
  if (answer === undefined) return;
  const { result } = answer;
  if (!isModelCallResult(result)) {
    throw ApplicationFailure.create({
      type: failureType.model,
      message: `The Activity ${activityId} was completed with something that is no model result.`,
      nonRetryable: true,
    });
  }
  run.apply({ type: 'model-ended', at: Date.now(), activityId, result });
  run.apply({ type: 'appended', entries: responseEntries(run.state) });
}

function rethrow(error: unknown): never {
  throw error;
}
