import type { temporal } from '@temporalio/proto';
import { describe, expect, it } from 'vitest';
import { bytesPerIteration, eventBytes } from '../../src/testing/history-bytes.ts';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** An event that schedules an Activity. */
function scheduled(activityId: string): HistoryEvent {
  return { activityTaskScheduledEventAttributes: { activityId } };
}
/** Any other event. */
const other: HistoryEvent = { workflowTaskStartedEventAttributes: { identity: 'a Worker' } };
const bytes = (...events: readonly HistoryEvent[]) =>
  events.reduce((sum, event) => sum + eventBytes(event), 0);

describe('bytesPerIteration', () => {
  it('counts the events from the first Activity of an iteration to the next iteration', () => {
    const first = [scheduled('1/model'), other, scheduled('1/call_a'), other, other];
    const second = [scheduled('2/model'), other];
    expect(
      bytesPerIteration([other, scheduled('0/hook/onStart'), other, ...first, ...second]),
    ).toEqual([bytes(...first), bytes(...second)]);
  });

  it('leaves out the end of the run', () => {
    const first = [scheduled('1/model'), other];
    const end = [scheduled('1/hook/onEnd'), other, scheduled('1/seal/3'), other, other];
    expect(bytesPerIteration([...first, ...end])).toEqual([bytes(...first)]);
  });

  it('counts continuing as new for the iteration before it', () => {
    const first = [scheduled('1/model'), other, scheduled('1/seal/3'), other];
    const anew = [other, other];
    const second = [scheduled('2/model'), other];
    expect(bytesPerIteration([...first, ...anew, ...second])).toEqual([
      bytes(...first, ...anew),
      bytes(...second),
    ]);
  });

  it('is empty where no iteration was reached', () => {
    expect(bytesPerIteration([])).toEqual([]);
    expect(bytesPerIteration([other, scheduled('resolve'), other])).toEqual([]);
  });
});
