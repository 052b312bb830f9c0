/** Numbers, times and texts as people read them. */

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
] as const;

/** A span of time in its largest unit: `3 d`, `12 m`, `5 s`. */
export function formatSpan(milliseconds: number): string {
  for (const [unit, length] of units) {
    if (milliseconds >= length) return `${Math.floor(milliseconds / length)} ${unit}`;
  }
  return `${Math.max(0, Math.floor(milliseconds / 1000))} s`;
}

/** A number with separators between thousands. */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** A size in bytes in its largest unit: `512 B`, `12 KB`, `3.4 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${Math.floor(bytes)} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} KB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** A count with its noun in the right number. */
export function counted(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** The text cut on a code point to at most `length` UTF-16 code units, with an ellipsis. */
export function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = text.slice(0, length - 1);
  return `${/[\uD800-\uDBFF]$/.test(end) ? end.slice(0, -1) : end}…`;
}

/** The text on one line. */
export function oneLine(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ');
}
