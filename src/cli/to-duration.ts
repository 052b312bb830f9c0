/** Spans of time as people type them. */
import type { Duration } from '@temporalio/common';
import { EverloopError } from '../everloop-error.ts';

/**
 * The span in milliseconds.
 * @param option that it was given with, for the error
 * @throws EverloopError `invalid_input`
 */
export async function toDuration(text: string, option: string): Promise<number> {
  // Comes with a part of the Temporal SDK.
  const { toMilliseconds } = await import('../tools/duration.ts');
  try {
    return toMilliseconds(text as Duration, option);
  } catch (error) {
    throw new EverloopError('invalid_input', `${option}: ${JSON.stringify(text)} is no duration`, {
      hint: 'write a number and a unit, such as "90 s", "2 hours" or "1 day"',
      cause: error,
    });
  }
}
