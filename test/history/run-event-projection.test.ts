import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RecordedEvent } from '../../src/history/recorded-event.ts';
import { RunEventProjection } from '../../src/history/run-event-projection.ts';
import type { RunEvent } from '../../src/loop/events.ts';
import { controlledPlans } from '../loop/controlled-plans.ts';
import { plans as plainPlans } from '../loop/plans.ts';
import { simulate } from '../loop/simulate.ts';

const numRuns = 1_000;

const plans = fc.oneof(plainPlans, controlledPlans);

function eventsOf(histories: readonly (readonly RecordedEvent[])[]): readonly RunEvent[] {
  return histories.flatMap((recorded, index) => {
    const projection = new RunEventProjection('run', `${index}-sim`);
    return recorded.flatMap((event) => projection.add(event));
  });
}

/** What is open when the events are over, or an end that nothing had begun. */
function unpaired(events: readonly RunEvent[]): readonly string[] {
  const open = new Set<string>();
  const problems: string[] = [];
  const begin = (key: string) => open.add(key);
  const end = (key: string) => open.delete(key) || problems.push(`${key} ends unbegun`);
  for (const event of events) {
    if (event.type === 'run-start') begin('run');
    if (event.type === 'iteration-start') begin(`iteration ${event.iteration}`);
    if (event.type === 'model-start') begin(`call ${event.data.activityId}`);
    if (event.type === 'model-end') end(`call ${event.data.activityId}`);
    if (event.type === 'tool-start') begin(`call ${event.data.callId}`);
    if (event.type === 'tool-end') end(`call ${event.data.callId}`);
    if (event.type === 'iteration-end') end(`iteration ${event.iteration}`);
    if (event.type === 'run-end') end('run');
  }
  return [...problems, ...[...open].map((key) => `${key} never ends`)];
}

describe('the events of a run, over random histories', () => {
  it('give every start its end, and end with the run', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const events = eventsOf(simulate(plan).histories);
        expect(unpaired(events)).toEqual([]);
        expect(events[0]?.type).toBe('run-start');
        expect(events.at(-1)?.type).toBe('run-end');
      }),
      { numRuns },
    );
  });

  it('tell every message of the transcript once and in order', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const { histories, messages } = simulate(plan);
        const told = eventsOf(histories).flatMap((event) =>
          event.type === 'message' ? [event.data] : [],
        );
        expect(told).toEqual(messages.map((message, index) => ({ index, message })));
      }),
      { numRuns },
    );
  });

  it('have ids that are never given twice and the same however often they are read', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const { histories } = simulate(plan);
        const ids = eventsOf(histories).map((event) => event.id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(eventsOf(histories).map((event) => event.id)).toEqual(ids);
      }),
      { numRuns },
    );
  });

  it('are told as soon as history has them: a longer history only adds', () => {
    fc.assert(
      fc.property(plans, fc.nat(), (plan, at) => {
        const { histories } = simulate(plan);
        const [first = []] = histories;
        const part = eventsOf([first.slice(0, at % (first.length + 1))]);
        expect(eventsOf(histories).slice(0, part.length)).toEqual(part);
      }),
      { numRuns },
    );
  });
});
