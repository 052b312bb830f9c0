/** Reads how long a provider wants to be left alone. */

/**
 * Milliseconds from `retry-after-ms`, else from `retry-after` (seconds or an HTTP date); undefined when
 * neither header says anything usable. A date in the past is 0.
 * @param now milliseconds since the epoch, for dates
 */
export function retryAfterMs(headers: Headers | undefined, now: number): number | undefined {
  const inMs = number(headers?.get('retry-after-ms'));
  if (inMs !== undefined) return inMs;
  const text = headers?.get('retry-after');
  const inSeconds = number(text);
  if (inSeconds !== undefined) return inSeconds * 1000;
  // An HTTP date begins with the day of the week; Date.parse alone would take almost anything for a date.
  const date = /^[A-Z]/i.test(text ?? '') ? Date.parse(text ?? '') : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function number(text: string | null | undefined): number | undefined {
  return text != null && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}
