/** What errors say of themselves, in a length that can be recorded. */
import { cutText } from '../loop/cut-text.ts';

/** Longest text of a failure: a larger one cannot be reported, and its call would look like a lost one. */
const maxText = 2_000;

/** Causes looked at: a chain may be a ring. */
const maxCauses = 4;

/** The text as a failure may carry it. */
export function shortText(text: string): string {
  return cutText(text.toWellFormed(), maxText);
}

/** What a thrown value says of itself, and what its causes add: `fetch failed: getaddrinfo ENOTFOUND shop.example`. */
export function messageOf(error: unknown): string {
  const texts: string[] = [];
  for (let at = error, n = 0; n <= maxCauses && at !== undefined && at !== null; n += 1) {
    const text = textOf(at);
    if (!texts.some((earlier) => earlier.includes(text))) texts.push(text);
    at = at instanceof Error ? at.cause : undefined;
  }
  return texts.join(': ');
}

function textOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message || error.name : String(error);
  } catch {
    return 'an error that says nothing';
  }
}
