/** Text that arrives in pieces, and once more as a whole when it is done. */
import { invalidResponse } from '../adapter/invalid-response.ts';
import { wellFormed } from '../adapter/well-formed.ts';
import { wholeText } from '../adapter/whole-text.ts';

/** All pieces so far; `held` is half of a code point at their end. */
export interface ReceivedText {
  readonly text: string;
  readonly held: string;
}

/** What has arrived, and the part of it that is new and can be passed on. */
export interface TextStep {
  readonly received: ReceivedText;
  readonly more: string;
}

/** Before the first piece. */
export const nothingReceived: ReceivedText = { text: '', held: '' };

/**
 * Adds the next piece.
 * @throws ModelError `invalid_response` for half a code point inside
 */
export function addPiece(before: ReceivedText, piece: string, what: string): TextStep {
  const { text, held } = wholeText(before.held, piece);
  return { received: { text: before.text + text, held }, more: wellFormed(text, what) };
}

/**
 * Compares the pieces with the whole; what the pieces lacked is new.
 * @throws ModelError `invalid_response` when the whole does not begin with the pieces
 */
export function completeText(before: ReceivedText, whole: string, what: string): TextStep {
  if (!whole.startsWith(before.text + before.held)) {
    throw invalidResponse(`${what} ends as another text than it was streamed`);
  }
  const more = wellFormed(whole.slice(before.text.length), what);
  return { received: { text: whole, held: '' }, more };
}
