/** The model node: one call of the model, from the inbox to the appended answer. */

import { ActivityFailure, ApplicationFailure, CancelledFailure } from '@temporalio/workflow';
import { isCallOverBudget } from '../loop/budget.ts';
import { isModelCallResult } from '../loop/call-results.ts';
import { responseEntries } from '../loop/close-calls.ts';
import { mayCompactFor } from '../loop/compaction.ts';
import { isStopping, receivable } from '../loop/decide.ts';
import { failureType } from '../loop/failure-types.ts';
import { modelActivityId } from '../loop/message-ids.ts';
import { toAdvance } from '../loop/to-advance.ts';
import { modelOptions, nodes } from './activities.ts';
import { callErrorOf } from './call-failure.ts';
import { compactConversation } from './compact-node.ts';
import { viewFor } from './hooks-node.ts';
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
 * Calls the model and appends its answer; when it fails for good, the next model of the agent's list.
 * @throws ActivityFailure when the last one failed for good; CancelledFailure when it never started
 */
export async function callModel(run: Run, { finish = false } = {}): Promise<void> {
  for (;;) {
    const { model } = run.state;
    try {
      const answer = await run.inReach(() => ask(run, finish));
      run.noteCancellation();
      if (answer !== undefined) take(run, answer);
      return;
    } catch (error) {
      run.noteCancellation();
      const isCutOff = noteFailure(run, error);
      if (isCutOff) return;
      if (run.state.model === model && (await isShortened(run))) continue;
      if (run.state.model === model || isCallOverBudget(run.state)) throw error;
    }
  }
}

/** Whether the call failed because the conversation is too long, and that is mended. */
async function isShortened(run: Run): Promise<boolean> {
  const { lastError, compactions, cancelRequested } = run.state;
  if (cancelRequested || lastError === undefined || !mayCompactFor(run.state, lastError)) {
    return false;
  }
  await compactConversation(run);
  return run.state.compactions !== compactions && !isStopping(run.state);
}

/** What an answered call came to. */
interface Answer {
  readonly activityId: string;
  readonly result: unknown;
}

/** Starts the Activity; undefined when it did not stop in time. */
function ask(run: Run, finish: boolean): Promise<Answer | undefined> {
  const { agent, iteration, callsInIteration, model, hidden, compaction } = run.state;
  if (agent === undefined) throw new Error('the agent is not resolved yet');
  const activityId = modelActivityId(iteration, callsInIteration + 1);
  const advance = toAdvance(run.state);
  const view = viewFor(run.state, 'onModelStart', 'onModelEnd');
  run.apply({ type: 'model-started' });
  const options = modelOptions(agent, activityId, model);
  const asking = nodes.everloopCallModel.executeWithOptions(options, [
    {
      ...advance,
      ...(model > 0 && { model }),
      ...(hidden.length > 0 && { hidden: [...hidden] }),
      ...(view !== undefined && { view }),
      ...(compaction !== undefined && { compaction: compaction.message.id }),
      ...(finish && { finish }),
    },
  ]);
  return withinGrace(run, asking, (result: unknown) => ({ activityId, result }));
}

function take(run: Run, { activityId, result }: Answer): void {
  if (!isModelCallResult(result)) {
    throw ApplicationFailure.create({
      type: failureType.model,
      message: `The Activity ${activityId} was completed with something that is no model result.`,
      nonRetryable: true,
    });
  }
  run.apply({ type: 'model-ended', at: run.now(), activityId, result });
  run.apply({ type: 'appended', entries: responseEntries(run.state) });
}

/** Records how the call failed, so that the state can say whether another model is asked. True when a message cut it off. */
function noteFailure(run: Run, error: unknown): boolean {
  if (!(error instanceof ActivityFailure)) return false;
  const { activityId = '', cause } = error;
  if (!(cause instanceof CancelledFailure)) {
    run.apply({ type: 'model-failed', at: run.now(), activityId, error: callErrorOf(error) });
  } else if (!run.state.cancelRequested) run.apply({ type: 'model-interrupted', activityId });
  const { lastResponse } = run.state;
  return lastResponse?.activityId === activityId && lastResponse.interrupted === true;
}
