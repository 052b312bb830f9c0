/** Durations as people write them. */
import { describe, expect, it } from 'vitest';
import { toMilliseconds } from '../../src/tools/duration.ts';

describe('a duration', () => {
  it.each([
    ['30 seconds', 30_000],
    ['1m', 60_000],
    [250, 250],
    ['1.6 ms', 2],
  ] as const)('%j is %d milliseconds', (duration, milliseconds) => {
    expect(toMilliseconds(duration, 'timeout')).toBe(milliseconds);
  });

  it.each([0, -1, 0.2, Number.NaN, Number.POSITIVE_INFINITY, '0 seconds'] as const)(
    '%j is refused, with the name of the setting',
    (duration) => {
      expect(() => toMilliseconds(duration, 'tool a: timeout')).toThrow(
        `tool a: timeout: ${duration} is no positive duration`,
      );
    },
  );

  it('that is no duration at all is refused the same way', () => {
    // @ts-expect-error: what untyped code may pass
    expect(() => toMilliseconds('soon', 'timeout')).toThrow('timeout: soon is no positive');
  });
});
