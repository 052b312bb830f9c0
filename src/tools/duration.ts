/** Durations as people write them. */
import type { Duration } from '@temporalio/common';
import { msToNumber } from '@temporalio/common/lib/time.js';

/**
 * Milliseconds of a duration such as `'30 seconds'`.
 * @throws TypeError naming `what` when the text is no positive duration
 */
export function toMilliseconds(duration: Duration, what: string): number {
  const milliseconds = msToNumber(duration);
  if (!(milliseconds > 0)) throw new TypeError(`${what}: ${duration} is no positive duration`);
  return milliseconds;
}
