/** Calls that only administrators may make: what a refusal means to a person. */
import { isGrpcServiceError } from '@temporalio/client';
import { EverloopError } from '../everloop-error.ts';

/** gRPC codes of a server that keeps this to its administrators: hosted ones have no such service. */
const refusals: readonly number[] = [7, 12, 16];

/**
 * The answer to `call`.
 *
 * @param what what the client wanted to do, after "to"
 * @param hint what an administrator should do instead
 * @throws EverloopError (`unauthorized`) when the server does not let this client; other errors as they are
 */
export async function permitted<T>(call: Promise<T>, what: string, hint: string): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!isGrpcServiceError(error) || !refusals.includes(error.code)) throw error;
    throw new EverloopError(
      'unauthorized',
      `the server does not let this client ${what} (${error.details})`,
      { hint, cause: error },
    );
  }
}
