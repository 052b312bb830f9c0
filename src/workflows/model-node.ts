/** The model node: one call of the model, from the inbox to the appended answer. */

import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  TimeoutFailure,
} from '@temporalio/workflow';
import { advanceOf } from '../loop/advance.ts';
import { isModelCallResult } from '../loop/call-results.ts';
import { responseEntries } from '../loop/close-calls.ts';
import { receivable } from '../loop/decide.ts';
import { failureType } from '../loop/failure-types.ts';
import { modelActivityId } from '../loop/message-ids.ts';
import { toCallError } from '../loop/model-failure.ts';
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
 * Calls the model and appends its answer; when it fails for good, the next model of the agent's list.
 * @throws ActivityFailure when the last one failed for good; CancelledFailure when it never started
 */
export async function callModel(run: Run, { finish = false } = {}): Promise<void> {
  for (;;) {
    const { model } = run.state;
    try {
      await call(run, finish);
      return;
    } catch (error) {
      run.noteCancellation();
      noteFailure(run, error);
      if (run.state.model === model) throw error;
    }
  }
}

async function call(run: Run, finish: boolean): Promise<void> {
  const { agent, iteration, callsInIteration, model } = run.state;
  if (agent === undefined) throw new Error('the agent is not resolved yet');
  const activityId = modelActivityId(iteration, callsInIteration + 1);
  const advance = advanceOf(run.state);
  run.apply({ type: 'model-started' });
  const options = modelOptions(agent, activityId, model);
  const asking = nodes.everloopCallModel.executeWithOptions(options, [
    { ...advance, ...(model > 0 && { model }), ...(finish && { finish }) },
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

/** Records how the call failed, so that the state can say whether another model is asked. */
function noteFailure(run: Run, error: unknown): void {
  if (!(error instanceof ActivityFailure) || error.cause instanceof CancelledFailure) return;
  const { cause, activityId = '' } = error;
  const failure =
    cause instanceof TimeoutFailure
      ? ({ kind: 'timeout', heartbeat: cause.timeoutType === 'HEARTBEAT' } as const)
      : ({
          kind: 'failed',
          type: cause instanceof ApplicationFailure ? (cause.type ?? '') : '',
          message: cause?.message ?? '',
        } as const);
  run.apply({ type: 'model-failed', activityId, error: toCallError(failure) });
}

function rethrow(error: unknown): never {
  throw error;
}
