/** Watchers are warned of each limit once, wherever the run goes on. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RunEventProjection } from '../../src/history/run-event-projection.ts';
import { nearLimits } from '../../src/loop/budget-use.ts';
import { plans } from '../loop/plans.ts';
import { simulate } from '../loop/simulate.ts';

const limits = fc.record(
  {
    iterations: fc.integer({ min: 1, max: 12 }),
    tokens: fc.integer({ min: 500, max: 30_000 }),
    toolCalls: fc.integer({ min: 1, max: 6 }),
    wallTimeMs: fc.integer({ min: 1_000, max: 100_000 }),
  },
  { requiredKeys: [] },
);

it('warns once of each limit that is nearly spent, and of no other', () => {
  fc.assert(
    fc.property(plans, limits, (plan, budget) => {
      const agent = { ...plan.agent, budget };
      const { histories, final } = simulate({ ...plan, agent });
      const events = histories.flatMap((recorded, index) => {
        const projection = new RunEventProjection('run', `${index}-sim`);
        return recorded.flatMap((event) => projection.add(event));
      });
      const warned = events.flatMap((event) =>
        event.type === 'budget-warning' ? [event.data] : [],
      );
      const names = warned.map(({ limit }) => limit);
      expect(new Set(names).size).toBe(names.length);
      for (const { spent, allowed } of warned) expect(spent).toBeGreaterThanOrEqual(allowed * 0.8);
      // Between the last event and the end of the simulation no time passes that an event could tell of.
      const near = nearLimits(final, final.startedAt).map(({ limit }) => limit);
      expect(names.filter((name) => name !== 'wallTimeMs').sort()).toEqual([...near].sort());
    }),
    { numRuns: 1_000 },
  );
});
