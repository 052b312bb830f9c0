import { describe, expect, it } from 'vitest';
import { bytesByType, bytesPerIteration } from '../../bench/history-bytes.ts';

/** Two calls an iteration; what belongs to iteration n has n bytes an event. */
const events = [
  { type: 'WORKFLOW_EXECUTION_STARTED', bytes: 500 },
  ...[1, 2, 3, 4].flatMap((bytes) => [
    { type: 'ACTIVITY_TASK_SCHEDULED', bytes },
    { type: 'ACTIVITY_TASK_COMPLETED', bytes },
    { type: 'ACTIVITY_TASK_SCHEDULED', bytes },
    { type: 'ACTIVITY_TASK_COMPLETED', bytes },
  ]),
];

describe('bytes per iteration', () => {
  it('are those from the first model call of the range to the one after it', () => {
    expect(bytesPerIteration(events, { from: 1, to: 1, callsPerIteration: 2 })).toBe(4);
    expect(bytesPerIteration(events, { from: 2, to: 3, callsPerIteration: 2 })).toBe(10);
  });

  it('are refused for a range that the history does not hold', () => {
    expect(() => bytesPerIteration(events, { from: 3, to: 4, callsPerIteration: 2 })).toThrow(
      RangeError,
    );
  });

  it('are added up by type, largest first', () => {
    expect(Object.entries(bytesByType(events))).toEqual([
      ['WORKFLOW_EXECUTION_STARTED', 500],
      ['ACTIVITY_TASK_SCHEDULED', 20],
      ['ACTIVITY_TASK_COMPLETED', 20],
    ]);
  });
});
