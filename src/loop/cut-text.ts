/** Shortens texts that others wrote: history, memo and error messages have limits, names and errors have none. */

import { utf8Length } from './utf8-length.ts';

/** At most `length` UTF-16 code units, cut on a code point, with an ellipsis where something is missing. */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = text.slice(0, length - 1);
  return `${/[\uD800-\uDBFF]$/.test(end) ? end.slice(0, -1) : end}…`;
}

/** At most `maxBytes` bytes as JSON in UTF-8, quotation marks not counted, cut on a code point, with an ellipsis. */
export function cutBytes(text: string, maxBytes: number): string {
  // No character of JSON text takes more than three bytes a unit, but an escape takes six.
  if (text.length * 6 <= maxBytes || jsonLength(text) <= maxBytes) return text;
  let [fits, tooLong] = [0, Math.min(text.length, maxBytes)];
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (jsonLength(cutText(text, middle)) <= maxBytes) fits = middle;
    else tooLong = middle;
  }
  return cutText(text, Math.max(1, fits));
}

function jsonLength(text: string): number {
  return utf8Length(JSON.stringify(text)) - 2;
}
