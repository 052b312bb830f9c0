/** Sends an Update again that the server lost on its way: a run that is just going on in a new Temporal run takes none. */
import { setTimeout as delay } from 'node:timers/promises';
import { isGrpcServiceError, WorkflowUpdateFailedError } from '@temporalio/client';
import { exhaustedDelayMs } from '../engine/grpc-retry.ts';

const lostTask =
  /unexpected workflow task failure|workflow task in failed state|update was aborted/i;
/** gRPC status codes with which the server says so: FAILED_PRECONDITION, ABORTED, UNAVAILABLE. */
const lostCodes = [9, 10, 14];
/** The server's words for an Update that a run did not see before it continued or ended. */
const closedBefore = /completed before the update completed/i;

/** About twenty seconds of trying: a run continues within milliseconds, a Worker that died is replaced within seconds. */
const attempts = 200;

/**
 * Calls `tell` until the Update was seen by the run.
 *
 * Contract: the Update has an id, so that telling it again does nothing twice.
 */
export async function untilDelivered<T>(tell: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await tell();
    } catch (error) {
      if (attempt >= attempts || !isLost(error)) throw error;
      await delay(exhaustedDelayMs(attempt));
    }
  }
}

function isLost(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  if (error instanceof WorkflowUpdateFailedError) return closedBefore.test(messageOf(cause));
  const grpc = isGrpcServiceError(error) ? error : isGrpcServiceError(cause) ? cause : undefined;
  return grpc !== undefined && lostCodes.includes(grpc.code) && lostTask.test(grpc.details);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : '';
}
