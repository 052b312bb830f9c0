/** Reads the time of an answer. */

/**
 * A date text from seconds since 1970, up to the end of the year 9999, the last that a date text can name;
 * undefined for anything else and for 0, which servers send for an unknown time.
 */
export function createdAt(seconds: unknown): string | undefined {
  return typeof seconds === 'number' && seconds > 0 && seconds < 253_402_300_800
    ? new Date(seconds * 1000).toISOString()
    : undefined;
}
