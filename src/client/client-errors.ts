/** Temporal's errors as the client's callers see them. */
import {
  isGrpcServiceError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { ErrorCode } from '../everloop-error.ts';
import { EverloopError } from '../everloop-error.ts';
import { failureType } from '../loop/failure-types.ts';

/** gRPC status codes that say that the server cannot be reached: DEADLINE_EXCEEDED, UNAVAILABLE. */
const unreachable = [4, 14];
/** gRPC status code INVALID_ARGUMENT: a query it does not understand, a payload it does not take. */
const invalidArgument = 3;
/** gRPC status code FAILED_PRECONDITION: the run has taken all the Updates it can. */
const failedPrecondition = 9;
/** gRPC status code NOT_FOUND. */
const notFound = 5;

/** The code for the failure type with which a run refuses something. */
export const codeOfRejection: Readonly<Record<string, ErrorCode>> = {
  [failureType.runEnding]: 'run_ending',
  [failureType.inboxFull]: 'inbox_full',
  [failureType.noSuchPoint]: 'not_found',
  [failureType.inputRequired]: 'input_required',
  [failureType.invalidEdit]: 'invalid_input',
};

/** The EverloopError for what a call about run `id` threw; anything else is thrown on as it is. */
function toClientError(error: unknown, id: string): unknown {
  // It says what is the matter already, whatever it was caused by.
  if (error instanceof EverloopError) return error;
  if (error instanceof WorkflowNotFoundError) return noSuchRun(id, error);
  if (error instanceof WorkflowExecutionAlreadyStartedError) {
    return new EverloopError('run_exists', `a run with id ${id} exists already`, {
      hint: 'choose another id, or look at it with: everloop show <id>',
      cause: error,
    });
  }
  if (error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure) {
    const { type, message } = error.cause;
    return new EverloopError(codeOfRejection[type ?? ''] ?? 'rejected', message, { cause: error });
  }
  const grpc = grpcErrorOf(error);
  if (grpc?.code === invalidArgument) {
    return new EverloopError('invalid_input', `the Temporal server refuses this: ${grpc.details}`, {
      cause: error,
    });
  }
  if (grpc?.code === failedPrecondition && /distinct updates/i.test(grpc.details)) {
    return new EverloopError('rejected', `the Temporal server refuses this: ${grpc.details}`, {
      hint: 'one history takes 2,000 messages and decisions: tell it again after the next iteration, when the run goes on in a new one',
      cause: error,
    });
  }
  if (grpc?.code === failedPrecondition) {
    return new EverloopError('rejected', `the Temporal server refuses this: ${grpc.details}`, {
      hint: 'see why the run does not go on with: everloop show <id>; then send it again',
      cause: error,
    });
  }
  if (grpc?.code === notFound) return noSuchRun(id, error);
  if (grpc !== undefined && unreachable.includes(grpc.code)) {
    return new EverloopError('engine_unreachable', 'the Temporal server does not answer', {
      hint: 'start it with: everloop dev (or check TEMPORAL_ADDRESS); runs go on from where they were',
      cause: error,
    });
  }
  return error;
}

/** There is no run of that id. */
export function noSuchRun(id: string, cause?: unknown): EverloopError {
  return new EverloopError('not_found', `there is no run ${id}`, {
    hint: 'list runs with: everloop ls',
    ...(cause !== undefined && { cause }),
  });
}

/** The gRPC error, which Temporal's client mostly wraps. */
function grpcErrorOf(error: unknown): { code: number; details: string } | undefined {
  if (isGrpcServiceError(error)) return error;
  const cause = error instanceof Error ? error.cause : undefined;
  return isGrpcServiceError(cause) ? cause : undefined;
}

/** Runs `call` about run `id` and rejects with the caller's errors. */
export async function translated<T>(id: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw toClientError(error, id);
  }
}
