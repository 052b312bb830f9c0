/** What a failed model call means for the run: in the Workflow and in its projection alike. */
import { cutText } from './cut-text.ts';
import { failureType } from './failure-types.ts';
import type { CallError } from './loop-state.ts';

/** Longest text that is kept of an error, in UTF-16 code units. */
const errorLength = 2_000;

/** How a model Activity failed for good. */
export type ModelFailure =
  | { readonly kind: 'failed'; readonly type: string; readonly message: string }
  | { readonly kind: 'timeout'; readonly heartbeat: boolean };

/** The error in the run's words. */
export function toCallError(failure: ModelFailure): CallError {
  if (failure.kind === 'timeout') {
    const how = failure.heartbeat ? 'its Worker stopped answering' : 'it did not finish in time';
    return {
      type: `${failureType.model}.lost`,
      message: `The call was lost on every attempt (${how}). Look at the Worker's log.`,
    };
  }
  return {
    type: failure.type === '' ? failureType.runFailed : failure.type,
    message: cutText(failure.message, errorLength),
  };
}

/** Failures that another model would share: the request itself is at fault. */
const shared: readonly string[] = [
  `${failureType.model}.bad_request`,
  failureType.invalidRequest,
  failureType.tooLarge,
];

/** Failures of a Worker that lacks what this model needs. */
const ofWorker: readonly string[] = [failureType.configuration, failureType.unknownModel];

/** Whether the next model of the agent's list may do better. */
export function mayFallBack({ type }: CallError): boolean {
  return (
    (type.startsWith(`${failureType.model}.`) || ofWorker.includes(type)) && !shared.includes(type)
  );
}
