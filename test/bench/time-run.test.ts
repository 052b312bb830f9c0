import { describe, expect, it } from 'vitest';
import { iterationMs, slope, startMs } from '../../bench/time-run.ts';

describe('the times of a run', () => {
  it('begin with the start call', () => {
    expect(startMs({ startedAt: 100, modelCallsAt: [130, 160] })).toBe(30);
  });

  it('are counted from model call to model call, so that start and end of the run stay out', () => {
    expect(iterationMs({ modelCallsAt: [130, 160, 190] })).toBe(30);
  });

  it('have a slope of one when each iteration takes as long', () => {
    expect(slope({ modelCallsAt: [0, 10, 20, 30, 40] }, 2)).toBe(1);
  });

  it('have a slope above one when the last iterations take longer', () => {
    expect(slope({ modelCallsAt: [0, 10, 20, 35, 55, 75] }, 2)).toBe(2);
  });

  it('of a run without model calls are refused', () => {
    expect(() => startMs({ startedAt: 0, modelCallsAt: [] })).toThrow(RangeError);
  });
});
