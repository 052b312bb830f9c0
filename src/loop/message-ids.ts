/** Ids of transcript messages and Activities. They hold the Temporal run and the attempt, so that no id is ever given twice. */

/** The last eight characters of a Temporal run id: enough to tell the runs of one Workflow id apart. */
function suffix(temporalRunId: string): string {
  return temporalRunId.slice(-8);
}

/** Id of the `index`-th message that the run was started with. */
export function inputMessageId(temporalRunId: string, index: number): string {
  return `${suffix(temporalRunId)}/input/${index}`;
}

/** Id of the `position`-th user message that the run received; `id` is the sender's, who may use it again much later. */
export function receivedMessageId(temporalRunId: string, position: number, id: string): string {
  return `${suffix(temporalRunId)}/received/${position}/${id}`;
}

/** Id of the message that an attempt of an Activity returned. Attempt 0 stands for the Workflow itself. */
export function activityMessageId(
  temporalRunId: string,
  activityId: string,
  attempt: number,
): string {
  return `${suffix(temporalRunId)}/${activityId}/${attempt}`;
}

/** Activity id of the `ordinal`-th model call of an iteration, from 1. */
export function modelActivityId(iteration: number, ordinal = 1): string {
  return ordinal === 1 ? `${iteration}/model` : `${iteration}/model.${ordinal}`;
}

/** Activity id of summing up a conversation; of a call that was cut off, so that each has its own. */
export function compactActivityId(iteration: number, messages: number): string {
  return `${iteration}/compact/${messages}`;
}

/** Whether the Activity of that id sums up a conversation. */
export function isCompactActivityId(activityId: string): boolean {
  return /^\d+\/compact\/\d+$/.test(activityId);
}

/** Activity id of the sealing of the first `messages` messages. */
export function sealActivityId(iteration: number, messages: number): string {
  return `${iteration}/seal/${messages}`;
}

/** Activity id of looking for the point that a run goes on from. */
export const restoreActivityId = 'restore';

/** Activity id of asking the hooks of a moment; `callId` where it is about one call. */
export function hookActivityId(iteration: number, moment: string, callId?: string): string {
  return `${iteration}/hook/${moment}${callId === undefined ? '' : `/${callId}`}`;
}

/** Activity id of a tool call. */
export function toolActivityId(iteration: number, callId: string): string {
  return `${iteration}/${callId}`;
}

/** Activity id of reading what a sub-agent came to that recorded no result. */
export function childResultActivityId(iteration: number, callId: string): string {
  return `${iteration}/result/${callId}`;
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
