/** Maps what the blob store throws to a failure that people understand, and that is tried again: a store comes back. */
import { ApplicationFailure } from '@temporalio/common';
import { EverloopError } from '../everloop-error.ts';
import { failureType } from '../loop/failure-types.ts';
import { shortText } from './error-text.ts';

/** The failure for an error of the blob store. */
export function toBlobFailure(error: EverloopError): ApplicationFailure {
  const type = error.code === 'blob_missing' ? failureType.blobMissing : failureType.blobStore;
  return ApplicationFailure.create({ type, message: shortText(`${error.message}: ${error.hint}`) });
}

/** Whether the blob store itself says that it could not do what it was asked for. */
export function isBlobError(error: unknown): error is EverloopError {
  return (
    error instanceof EverloopError &&
    (error.code === 'blob_missing' || error.code === 'blob_store_failed')
  );
}
