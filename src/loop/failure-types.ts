/** Every `type` of a failure that crosses Temporal's boundary. */

export const failureType = {
  /** The Workflow's argument is not a valid AgentRunInput. */
  invalidInput: 'everloop.invalid_input',
  /** A run that goes on from another's messages has nothing to answer to. */
  inputRequired: 'everloop.input_required',
  /** The point that a run was to go on from is not there. */
  noSuchPoint: 'everloop.no_such_point',
  /** The history does not tell of the point yet. */
  pointNotTold: 'everloop.point_not_told',
  /** The edit would break the transcript. */
  invalidEdit: 'everloop.invalid_edit',
  /** This Worker has no agent of that name. */
  unknownAgent: 'everloop.unknown_agent',
  /** An Update was refused: the run is ending. */
  runEnding: 'everloop.run_ending',
  /** An Update was refused: too much waits to be read already. */
  inboxFull: 'everloop.inbox_full',
  /** An Update was refused: its payload is not valid. */
  rejected: 'everloop.rejected',
  /** A model call failed; the kind of ModelError follows. */
  model: 'everloop.model',
  /** The Worker lacks what a call needs, such as a key. */
  configuration: 'everloop.configuration',
  /** A request that cannot be sent as it is. */
  invalidRequest: 'everloop.invalid_request',
  /** An answer too large for history. */
  tooLarge: 'everloop.too_large',
  /** A blob that is needed is not in the blob store. */
  blobMissing: 'everloop.blob_missing',
  /** The blob store could not be read or written. */
  blobStore: 'everloop.blob_store',
  /** A tool that must not be run again was stopped with its Worker. */
  toolLost: 'everloop.tool_lost',
  /** This Worker lacks a hook that the run's record names. */
  unknownHook: 'everloop.unknown_hook',
  /** This Worker lacks a model that the run's record names. */
  unknownModel: 'everloop.unknown_model',
  /** A hook failed for good. */
  hookFailed: 'everloop.hook_failed',
  /** A hook asked to be tried again later. */
  hookRetry: 'everloop.hook_retry',
  /** A tool asked to be tried again later. */
  toolRetry: 'everloop.tool_retry',
  /** The run stopped with `error`; the message is the run's last error. */
  runFailed: 'everloop.run_failed',
} as const;

/** Failure type of a model call, such as `everloop.model.rate_limited`. */
export function modelFailureType(kind: string): string {
  return `${failureType.model}.${kind}`;
}
