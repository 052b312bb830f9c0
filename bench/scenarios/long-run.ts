/** `long-run`: whether time and bytes of an iteration stay what they were over a very long run. */
import { Everloop } from '../../src/client/everloop.ts';
import { historyBytesPerIteration } from '../../src/testing/history-bytes.ts';
import type { Scenario } from '../scenario.ts';
import { estimateMedian, median } from '../statistics.ts';
import { timeRun } from '../time-run.ts';
import { withContestants } from '../with-contestants.ts';
import { createWorkload } from '../workload.ts';

const iterations = 5_000;
/** Iterations whose median stands for a part of the run: a whole Temporal run of them. */
const block = 100;

export const longRunScenario: Scenario = {
  name: 'long-run',
  title: `time and bytes per iteration over ${iterations} iterations`,
  async run(say) {
    const workload = createWorkload();
    const { times, sizes } = await withContestants('tuned', workload, async (contestants) => {
      const run = await timeRun(contestants.everloop, workload, iterations);
      say('the run is over');
      const gaps = run.modelCallsAt
        .slice(1)
        .map((at, index) => at - (run.modelCallsAt[index] ?? at));
      const bytes = await historyBytesPerIteration(Everloop.from(contestants.client).run(run.id));
      const starts = Array.from({ length: iterations / block - 1 }, (_, index) => index * block);
      const ofBlocks = (values: readonly number[], of: (block: readonly number[]) => number) =>
        starts.map((from) => of(values.slice(from, from + block)));
      return { times: ofBlocks(gaps, median), sizes: ofBlocks(bytes, mean) };
    });
    const quarter = Math.floor(times.length / 4);
    const growth = (values: readonly number[]) => {
      const first = values.slice(0, quarter);
      const last = values.slice(-quarter);
      return estimateMedian(first.map((value, index) => (last[index] ?? value) / value));
    };
    return {
      figures: {
        'ms per iteration': estimateMedian(times),
        'bytes of history per iteration': estimateMedian(sizes),
      },
      checks: [
        {
          name: 'time per iteration, last quarter / first quarter',
          measured: growth(times),
          bound: { atMost: 1.05 },
        },
        {
          name: 'bytes per iteration, last quarter / first quarter',
          measured: growth(sizes),
          bound: { atMost: 1.05 },
        },
      ],
    };
  },
};

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
