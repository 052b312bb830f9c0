/** Durations as people write them. */
import type { Duration } from '@temporalio/common';
import { msToNumber } from '@temporalio/common/lib/time.js';

/**
 * Whole milliseconds of a duration such as `'30 seconds'`.
 * @throws TypeError naming `what` when that is less than one, or nothing that can be waited for
 */
export function toMilliseconds(duration: Duration, what: string): number {
  const milliseconds = Math.round(read(duration));
  if (milliseconds < 1 || !Number.isSafeInteger(milliseconds)) {
    throw new TypeError(`${what}: ${duration} is no positive duration`);
  }
  return milliseconds;
}

/** NaN for a text that is no duration. */
function read(duration: Duration): number {
  try {
    return msToNumber(duration);
  } catch {
    return Number.NaN;
  }
}
