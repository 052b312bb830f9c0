/** Texts that Temporal's own UI shows beside an Activity or a Workflow. */
import { cutText } from '../loop/cut-text.ts';

/** Longest summary, in UTF-16 code units; the server refuses more than 400 bytes. */
const summaryLength = 80;

/** The text, cut so that the server takes it as a summary. */
export function shortSummary(text: string): string {
  return cutText(text, summaryLength);
}
