/** Shortens texts that others wrote: history, memo and error messages have limits, names and errors have none. */

/** At most `length` UTF-16 code units, cut on a code point, with an ellipsis where something is missing. */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = text.slice(0, length - 1);
  return `${/[\uD800-\uDBFF]$/.test(end) ? end.slice(0, -1) : end}…`;
}
