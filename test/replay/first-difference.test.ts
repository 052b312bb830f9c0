import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstDifference } from '../../src/replay/first-difference.ts';

describe('firstDifference', () => {
  it('names the first member that differs', () => {
    expect(firstDifference({ a: { b: [1, 2] }, c: 3 }, { a: { b: [1, 5] }, c: 4 })).toEqual({
      path: 'a.b.1',
      expected: 2,
      found: 5,
    });
  });

  it('sees what is missing and what is too much', () => {
    expect(firstDifference({ a: 1 }, {})).toEqual({ path: 'a', expected: 1, found: undefined });
    expect(firstDifference([], [1])).toEqual({ path: '0', expected: undefined, found: 1 });
  });

  it('finds none between a value and its copy', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(firstDifference(value, structuredClone(value))).toBeUndefined();
      }),
    );
  });
});
