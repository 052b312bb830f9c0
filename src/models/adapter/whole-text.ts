/** Cuts streamed text only between code points. */

/** Text that can be passed on now, and half of a code point that waits for its other half. */
interface WholeText {
  readonly text: string;
  readonly held: string;
}

/**
 * Joins what was held with the next piece, and holds back a high surrogate at its end: JSON escapes let a
 * server cut a pair in two. A surrogate without a partner stays in the text; whoever checks it rejects it.
 */
export function wholeText(held: string, piece: string): WholeText {
  const text = held + piece;
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff
    ? { text: text.slice(0, -1), held: text.slice(-1) }
    : { text, held: '' };
}
