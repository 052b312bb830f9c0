/** Ids of transcript messages and Activities. They hold the Temporal run and the attempt, so that no id is ever given twice. */

/** The last eight characters of a Temporal run id: enough to tell the runs of one Workflow id apart. */
function suffix(temporalRunId: string): string {
  return temporalRunId.slice(-8);
}

/** Id of the `index`-th message that the run was started with. */
export function inputMessageId(temporalRunId: string, index: number): string {
  return `${suffix(temporalRunId)}/input/${index}`;
}

/** Id of a user message that came by Update; `id` is the sender's. */
export function receivedMessageId(temporalRunId: string, id: string): string {
  return `${suffix(temporalRunId)}/update:${id}`;
}

/** Id of the message that an attempt of an Activity returned. Attempt 0 stands for the Workflow itself. */
export function activityMessageId(
  temporalRunId: string,
  activityId: string,
  attempt: number,
): string {
  return `${suffix(temporalRunId)}/${activityId}/${attempt}`;
}

/** Activity id of an iteration's model call. */
export function modelActivityId(iteration: number): string {
  return `${iteration}/model`;
}

/** Activity id of a tool call. */
export function toolActivityId(iteration: number, callId: string): string {
  return `${iteration}/${callId}`;
}

/** The iteration that an Activity id belongs to. */
export function iterationOf(activityId: string): number {
  return Number.parseInt(activityId, 10);
}

/** Id of the call whose tool Activity has that id. */
export function callIdOf(activityId: string): string {
  return activityId.slice(activityId.indexOf('/') + 1);
}

/** Key of a tool call's effect: the same for every attempt, new when the model was asked again. */
export function idempotencyKey(assistantMessageId: string, index: number): string {
  return `${assistantMessageId}/${index}`;
}
