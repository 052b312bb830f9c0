/** The Activity that is running here, under the id that the run knows it by. */
import { activityInfo } from '@temporalio/activity';
import { activityMessageId, iterationOf } from '../loop/message-ids.ts';

/** Where in its run a call is. */
export interface CallHere {
  readonly runId: string;
  readonly temporalRunId: string;
  readonly activityId: string;
  readonly iteration: number;
  readonly attempt: number;
  /** Id of the message that this attempt returns. */
  readonly messageId: string;
}

/**
 * The call that is running in this Activity.
 * @param activityId the id it would have as a normal Activity; a local one has only a number of the SDK's own
 */
export function callHere(activityId: string = activityInfo().activityId): CallHere {
  const { attempt, workflowExecution } = activityInfo();
  if (workflowExecution === undefined) throw new Error('a call runs in a Workflow only');
  const { workflowId: runId, runId: temporalRunId } = workflowExecution;
  return {
    runId,
    temporalRunId,
    activityId,
    iteration: iterationOf(activityId),
    attempt,
    messageId: activityMessageId(temporalRunId, activityId, attempt),
  };
}
