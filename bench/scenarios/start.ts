/** `start`: how long it takes from the start call to the first model call. */
import { interleave } from '../interleave.ts';
import type { Scenario } from '../scenario.ts';
import { estimateMedian } from '../statistics.ts';
import { startMs, timeRun } from '../time-run.ts';
import { withContestants } from '../with-contestants.ts';
import { createWorkload } from '../workload.ts';

export const startScenario: Scenario = {
  name: 'start',
  title: 'start call to first model call, against the floor',
  async run() {
    const workload = createWorkload();
    const rounds = await withContestants('tuned', workload, ({ floor, everloop }) =>
      interleave(
        {
          floor: async () => startMs(await timeRun(floor, workload, 1)),
          everloop: async () => startMs(await timeRun(everloop, workload, 1)),
        },
        { rounds: 60, warmUp: 10 },
      ),
    );
    const ratios = rounds.map(({ floor, everloop }) => everloop / floor);
    return {
      figures: {
        'floor ms': estimateMedian(rounds.map(({ floor }) => floor)),
        'everloop ms': estimateMedian(rounds.map(({ everloop }) => everloop)),
      },
      checks: [
        { name: 'everloop / floor', measured: estimateMedian(ratios), bound: { atMost: 1.5 } },
      ],
    };
  },
};
