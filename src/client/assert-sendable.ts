/** Refuses what the server would refuse, before anything is sent. */
import { EverloopError } from '../everloop-error.ts';
import { maxPayloadBytes } from '../loop/payload-limit.ts';

/**
 * Checks that `value` can be the argument of a Workflow or of one of its messages.
 * @param what names the value in the error
 * @throws EverloopError `invalid_input`
 */
export function assertSendable(value: unknown, what: string): void {
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes <= maxPayloadBytes) return;
  throw new EverloopError(
    'invalid_input',
    `${what} is too large: ${megabytes(bytes)} MB of at most ${megabytes(maxPayloadBytes)} MB`,
    { hint: 'put large data into a file or a store that a tool reads, and name it in the message' },
  );
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}
