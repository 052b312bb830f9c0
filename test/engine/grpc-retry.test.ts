import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exhaustedDelayMs, grpcRetryOptions } from '../../src/engine/grpc-retry.ts';

type Status = Parameters<typeof grpcRetryOptions.retryableDecider>[1];

function status(code: number): Status {
  return { code, details: '', metadata: {} as Status['metadata'] };
}

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('an exhausted server', () => {
  it('is asked again after 10 to 200 ms, at whatever attempt', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), random, (attempt, chance) => {
        const delay = exhaustedDelayMs(attempt, chance);
        expect(delay).toBeGreaterThanOrEqual(10);
        expect(delay).toBeLessThanOrEqual(200);
      }),
    );
  });

  it('is given more time with each attempt, at equal chance', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), random, (attempt, chance) => {
        expect(exhaustedDelayMs(attempt + 1, chance)).toBeGreaterThanOrEqual(
          exhaustedDelayMs(attempt, chance),
        );
      }),
    );
  });

  it('is given up in the end', () => {
    expect(grpcRetryOptions.retryableDecider(1, status(8))).toBe(true);
    expect(grpcRetryOptions.retryableDecider(99, status(8))).toBe(true);
    expect(grpcRetryOptions.retryableDecider(100, status(8))).toBe(false);
  });
});

describe('other answers', () => {
  it.each([
    ['success', 0, false],
    ['invalid argument', 3, false],
    ['deadline exceeded', 4, false],
    ['not found', 5, false],
    ['already exists', 6, false],
    ['failed precondition', 9, false],
    ['unavailable', 14, true],
    ['unauthenticated', 16, false],
  ])('%s (code %i) is tried again: %s', (_, code, again) => {
    expect(grpcRetryOptions.retryableDecider(1, status(code))).toBe(again);
    expect(grpcRetryOptions.retryableDecider(10, status(code))).toBe(false);
  });

  it('wait no longer than 6 s, jitter included', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), (attempt) => {
        expect(grpcRetryOptions.delayFunction(attempt, status(14))).toBeLessThanOrEqual(6_000);
      }),
    );
  });
});
