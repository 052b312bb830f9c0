import { describe, expect, it } from 'vitest';
import { toJsonReport, toLines } from '../../bench/report.ts';
import { checkHolds, outcomeHolds } from '../../bench/scenario.ts';
import { scenarios } from '../../bench/scenarios.ts';

const measured = { median: 1.2, low: 1.1, high: 1.3, samples: 10 };

describe('a number to hold', () => {
  it('holds as an upper limit when the lower end of the interval meets it', () => {
    expect(checkHolds({ measured, bound: { atMost: 1.1 } })).toBe(true);
    expect(checkHolds({ measured, bound: { atMost: 1.09 } })).toBe(false);
  });

  it('holds as a lower limit when the upper end of the interval meets it', () => {
    expect(checkHolds({ measured, bound: { atLeast: 1.3 } })).toBe(true);
    expect(checkHolds({ measured, bound: { atLeast: 1.31 } })).toBe(false);
  });
});

describe('the report', () => {
  const outcome = {
    checks: [
      { name: 'met', measured, bound: { atMost: 1.5 } },
      { name: 'missed', measured, bound: { atLeast: 2 } },
    ],
    figures: { 'floor ms': 30 },
  };

  it('does not hold when one check does not', () => {
    expect(outcomeHolds(outcome)).toBe(false);
    expect(outcomeHolds({ checks: outcome.checks.slice(0, 1) })).toBe(true);
  });

  it('is one object with each figure, and each check with its interval, number and verdict', () => {
    expect(toJsonReport('start', outcome)).toEqual({
      scenario: 'start',
      holds: false,
      figures: {
        'floor ms': 30,
        met: { ...measured, atMost: 1.5, holds: true },
        missed: { ...measured, atLeast: 2, holds: false },
      },
    });
  });

  it('prints the interval beside each check', () => {
    expect(toLines(outcome)).toEqual([
      '  floor ms: 30.0',
      'holds  met: 1.200 [1.100, 1.300] of 10, to hold ≤ 1.5',
      'DOES NOT HOLD  missed: 1.200 [1.100, 1.300] of 10, to hold ≥ 2',
    ]);
  });
});

describe('the scenarios', () => {
  it('have names of their own', () => {
    const names = scenarios.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});
