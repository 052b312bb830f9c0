import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findBoundary } from '../../src/history/find-boundary.ts';
import type { ReadHistory } from '../../src/history/told-points.ts';
import { plans } from '../loop/plans.ts';
import type { Simulation } from '../loop/simulate.ts';
import { simulate } from '../loop/simulate.ts';

const numRuns = 500;

/** The histories of a simulated run, by the ids that they name each other by. */
function reader({ histories }: Simulation): { read: ReadHistory; newest: string } {
  const ids = histories.map((_, index) => (index === 0 ? '0000-sim' : `${index}-sim`));
  return {
    newest: ids.at(-1) ?? '',
    async *read({ temporalRunId }) {
      const index = ids.indexOf(temporalRunId);
      // Simulated runs name the first as the one before, whatever their number.
      for (const event of histories[index] ?? []) {
        if (event.type !== 'started' || index === 0) yield event;
        else yield { ...event, input: withPrevious(event.input, ids[index - 1] ?? '') };
      }
    },
  };
}

function withPrevious(input: unknown, temporalRunId: string): unknown {
  if (typeof input !== 'object' || input === null || !('from' in input)) return input;
  return { from: { ...Object(input.from), previous: { temporalRunId, how: 'continued' } } };
}

describe('the boundary of an iteration', () => {
  it('is found in whichever history it stands', async () => {
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const simulation = simulate(plan);
        const { read, newest } = reader(simulation);
        const ends = simulation.boundaries.filter(
          ({ phase, agent }) => phase.kind === 'boundary' && agent !== undefined,
        );
        for (const end of ends) {
          const run = { runId: 'run', temporalRunId: newest };
          const { boundary, isGone } = await findBoundary(read, run, { iteration: end.iteration });
          expect(isGone).toBe(false);
          expect(boundary?.iteration).toBe(end.iteration);
          expect(boundary?.pendingToolCalls).toEqual([]);
          expect(boundary?.transcript.count).toBeGreaterThanOrEqual(end.transcript.count);
        }
        const run = { runId: 'run', temporalRunId: newest };
        const { boundary } = await findBoundary(read, run, { iteration: 1_000 });
        expect(boundary).toBeUndefined();
      }),
      { numRuns },
    );
  });

  it('that holds so many messages at most is the newest such', async () => {
    await fc.assert(
      fc.asyncProperty(plans, fc.nat(), async (plan, n) => {
        const simulation = simulate(plan);
        const { read, newest } = reader(simulation);
        const messages = 1 + (n % simulation.final.transcript.count);
        const run = { runId: 'run', temporalRunId: newest };
        const { boundary } = await findBoundary(read, run, { messages });
        if (boundary === undefined) throw new Error('no boundary');
        const fits = simulation.boundaries.filter(
          ({ transcript, phase }) => phase.kind === 'boundary' && transcript.count <= messages,
        );
        const most = Math.max(0, ...fits.map(({ transcript }) => transcript.count));
        expect(boundary.transcript.count).toBeGreaterThanOrEqual(most);
        if (boundary.iteration > 0) expect(boundary.transcript.count).toBeLessThanOrEqual(messages);
      }),
      { numRuns },
    );
  });

  it('is gone where the history before is', async () => {
    const { read } = reader(simulate(fc.sample(plans, { numRuns: 1, seed: 1 })[0] ?? never()));
    const run = { runId: 'run', temporalRunId: 'nowhere' };
    expect(await findBoundary(read, run, { iteration: 1 })).toEqual({ path: [], isGone: true });
  });
});

function never(): never {
  throw new Error('no plan');
}
