/** What a run is called where nobody named it. */
import { cutText } from './cut-text.ts';
import type { StartInput } from './run-input.ts';

/** Longest title, in UTF-16 code units. */
const titleLength = 80;

/** The title it was given, or the first line of what the user asked, shortened. */
export function titleOf(start: StartInput): string {
  if (start.title !== undefined) return cutText(start.title, titleLength);
  const text =
    typeof start.input === 'string'
      ? start.input
      : start.input.parts.map((part) => (part.kind === 'text' ? part.text : '')).join(' ');
  return cutText(text.trim().split('\n', 1)[0] ?? '', titleLength);
}
