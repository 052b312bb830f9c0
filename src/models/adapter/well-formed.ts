/** Refuses text that no valid answer can hold. */
import { invalidResponse } from './invalid-response.ts';

/**
 * The text.
 * @param what names it in the error
 * @throws ModelError `invalid_response` for half a code point
 */
export function wellFormed(text: string, what: string): string {
  if (!text.isWellFormed()) throw invalidResponse(`${what} holds half a code point`);
  return text;
}
