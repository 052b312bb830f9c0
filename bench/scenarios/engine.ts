/** `engine`: what Everloop's server settings bring over the dev server as it comes. */
import type { Contestants } from '../contestants.ts';
import { interleave } from '../interleave.ts';
import type { Scenario } from '../scenario.ts';
import { estimateMedian } from '../statistics.ts';
import { iterationMs, timeRun } from '../time-run.ts';
import { withContestants } from '../with-contestants.ts';
import type { Workload } from '../workload.ts';
import { createWorkload } from '../workload.ts';

/** The stock server lets the first 20 tasks or so through unlimited: a short run would not meet its limit. */
const iterations = 200;
const warmUpIterations = 30;

export const engineScenario: Scenario = {
  name: 'engine',
  title: `the tuned server against the stock dev server, ${iterations} iterations a run`,
  async run(say) {
    const workload = createWorkload();
    const rounds = await withContestants('stock', workload, (stock) =>
      withContestants('tuned', workload, async (tuned) => {
        await interleave(sides({ stock, tuned }, workload, warmUpIterations), {
          rounds: 0,
          warmUp: 1,
        });
        return await interleave(sides({ stock, tuned }, workload, iterations), {
          rounds: 5,
          warmUp: 0, // done above, with short runs
          onRound: (done, all) => say(`round ${done} of ${all}`),
        });
      }),
    );
    const gain = {
      floor: rounds.map((round) => round.floorStock / round.floorTuned),
      everloop: rounds.map((round) => round.everloopStock / round.everloopTuned),
    };
    return {
      figures: {
        'floor on stock, ms per iteration': estimateMedian(rounds.map((round) => round.floorStock)),
        'floor on tuned, ms per iteration': estimateMedian(rounds.map((round) => round.floorTuned)),
        'everloop on stock, ms per iteration': estimateMedian(
          rounds.map((round) => round.everloopStock),
        ),
        'everloop on tuned, ms per iteration': estimateMedian(
          rounds.map((round) => round.everloopTuned),
        ),
      },
      checks: [
        {
          name: 'floor, stock / tuned',
          measured: estimateMedian(gain.floor),
          bound: { atLeast: 2.8 },
        },
        {
          name: 'everloop, stock / tuned',
          measured: estimateMedian(gain.everloop),
          bound: { atLeast: 2.5 },
        },
      ],
    };
  },
};

function sides(
  { stock, tuned }: { stock: Contestants; tuned: Contestants },
  workload: Workload,
  length: number,
) {
  return {
    floorStock: async () => iterationMs(await timeRun(stock.floor, workload, length)),
    floorTuned: async () => iterationMs(await timeRun(tuned.floor, workload, length)),
    everloopStock: async () => iterationMs(await timeRun(stock.everloop, workload, length)),
    everloopTuned: async () => iterationMs(await timeRun(tuned.everloop, workload, length)),
  };
}
