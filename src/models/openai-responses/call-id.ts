/** Fits the id of a call to what the Responses API takes. */
import { createHash } from 'node:crypto';

/** The API takes ids of at most so many characters. */
const maxLength = 64;

/**
 * The same id for a call and its result, in every request. Ids of other providers may be longer: those are
 * replaced by a hash, so that different ids stay different.
 */
export function toCallId(id: string): string {
  if (id.length <= maxLength) return id;
  return `call_${createHash('sha256')
    .update(id)
    .digest('hex')
    .slice(0, maxLength - 5)}`;
}
