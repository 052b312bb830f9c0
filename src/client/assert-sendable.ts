/** Refuses what the server would refuse, before anything is sent. */
import { EverloopError } from '../everloop-error.ts';
import { maxPayloadBytes } from '../loop/payload-limit.ts';
import type { BlobStore } from '../storage/blob-store.ts';

/**
 * Checks that `value` can be the argument of a Workflow or of one of its messages.
 * @param what names the value in the error
 * @param blobs where large media were put before, if they were
 * @throws EverloopError `invalid_input`
 */
export function assertSendable(value: unknown, what: string, blobs: BlobStore | undefined): void {
  const json = JSON.stringify(value);
  const bytes = Buffer.byteLength(json);
  if (bytes <= maxPayloadBytes) return;
  throw new EverloopError(
    'invalid_input',
    `${what} is too large: ${megabytes(bytes)} MB of at most ${megabytes(maxPayloadBytes)} MB`,
    { hint: blobs === undefined && json.includes(bytesInJson) ? mediaHint : textHint },
  );
}

/** Quotes inside a text are escaped, so this is never part of one. */
const bytesInJson = '"kind":"bytes"';

const mediaHint =
  "images and documents may be larger when the client knows the Workers' blob store: Everloop.connect({ blobs })";
const textHint =
  'put large data into a file or a store that a tool reads, and name it in the message';

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}
