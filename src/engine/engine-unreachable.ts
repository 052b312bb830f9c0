/** The error of a server that does not answer. */
import { EverloopError } from '../everloop-error.ts';

/** Says which address was tried, why it failed and what to do. */
export function engineUnreachable(address: string, cause: unknown): EverloopError {
  return new EverloopError(
    'engine_unreachable',
    `cannot reach a Temporal server at ${address}: ${reason(cause)}`,
    {
      hint: 'start the engine with `everloop dev`, or check TEMPORAL_ADDRESS, TLS and API key',
      cause,
    },
  );
}

/** The SDK wraps the telling error in one that only says that it could not connect. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return reason(error.cause);
  // Native code answers with a printed Rust value, in which one field is for people.
  return /message: "([^"]+)"/.exec(error.message)?.[1] ?? error.message;
}
