import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimateMedian, median, quantile } from '../../bench/statistics.ts';

const values = fc.array(fc.double({ min: 0.001, max: 1_000, noNaN: true }), {
  minLength: 1,
  maxLength: 20,
});

describe('the median', () => {
  it('is the middle value of an odd number, and lies between the two middle ones of an even number', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([9, 1, 5, 7])).toBe(6);
  });

  it('has as many values above as below', () => {
    fc.assert(
      fc.property(values, (sample) => {
        const middle = median(sample);
        expect(sample.filter((value) => value < middle).length).toBeLessThanOrEqual(
          sample.length / 2,
        );
        expect(sample.filter((value) => value > middle).length).toBeLessThanOrEqual(
          sample.length / 2,
        );
      }),
    );
  });

  it('of no values is refused', () => {
    expect(() => median([])).toThrow(RangeError);
    expect(() => estimateMedian([])).toThrow(RangeError);
  });
});

describe('a quantile', () => {
  it('is interpolated between neighbours', () => {
    expect(quantile([10, 0], 0.9)).toBe(9);
    expect(quantile([3, 1, 2], 0)).toBe(1);
    expect(quantile([3, 1, 2], 1)).toBe(3);
  });
});

describe('the interval of a median', () => {
  it('holds the median and stays within the values', () => {
    fc.assert(
      fc.property(values, (sample) => {
        const { median: middle, low, high } = estimateMedian(sample);
        expect(low).toBeLessThanOrEqual(middle);
        expect(high).toBeGreaterThanOrEqual(middle);
        expect(low).toBeGreaterThanOrEqual(Math.min(...sample));
        expect(high).toBeLessThanOrEqual(Math.max(...sample));
      }),
      { numRuns: 20 },
    );
  });

  it('is the same each time, in whatever order the values come', () => {
    const sample = [1.2, 0.9, 1.4, 1.1, 1.0, 1.3, 0.8, 1.15];
    expect(estimateMedian(sample.toReversed())).toEqual(estimateMedian(sample));
  });

  it('is a point when all values are equal', () => {
    expect(estimateMedian([2, 2, 2])).toEqual({ median: 2, low: 2, high: 2, samples: 3 });
  });

  it('leaves the extremes of ten values out', () => {
    const { low, high } = estimateMedian([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(low).toBeGreaterThan(1);
    expect(low).toBeLessThan(5);
    expect(high).toBeGreaterThan(6);
    expect(high).toBeLessThan(10);
  });
});
