/** `iteration`: wall time per iteration with an instant model, and whether it grows with the run. */
import type { Contestants } from '../contestants.ts';
import { interleave } from '../interleave.ts';
import type { Outcome, Scenario } from '../scenario.ts';
import { estimateMedian } from '../statistics.ts';
import { iterationMs, slope, timeRun } from '../time-run.ts';
import { withContestants } from '../with-contestants.ts';
import type { Workload } from '../workload.ts';
import { createWorkload } from '../workload.ts';

const shortRun = 50;
const longRun = 1_000;
/** Iterations at each end of a long run that are compared. */
const end = 100;

type Say = (line: string) => void;

export const iterationScenario: Scenario = {
  name: 'iteration',
  title: 'wall time per iteration against the floor, and its slope to 1,000 iterations',
  async run(say) {
    const workload = createWorkload();
    return await withContestants('tuned', workload, async (contestants) => {
      const short = await shortRuns(contestants, workload, say);
      const long = await longRuns(contestants, workload, say);
      return {
        figures: { ...short.figures, ...long.figures },
        checks: [...short.checks, ...long.checks],
      };
    });
  },
};

async function shortRuns(
  { floor, everloop }: Contestants,
  workload: Workload,
  say: Say,
): Promise<Outcome> {
  const rounds = await interleave(
    {
      floor: async () => iterationMs(await timeRun(floor, workload, shortRun)),
      everloop: async () => iterationMs(await timeRun(everloop, workload, shortRun)),
    },
    {
      rounds: 12,
      warmUp: 2,
      onRound: (done, all) => say(`pair ${done} of ${all} of ${shortRun} iterations`),
    },
  );
  const ratios = rounds.map((round) => round.everloop / round.floor);
  return {
    figures: {
      'floor ms per iteration': estimateMedian(rounds.map((round) => round.floor)),
      'everloop ms per iteration': estimateMedian(rounds.map((round) => round.everloop)),
    },
    checks: [
      { name: 'everloop / floor', measured: estimateMedian(ratios), bound: { atMost: 1.15 } },
    ],
  };
}

async function longRuns(
  { floor, everloop }: Contestants,
  workload: Workload,
  say: Say,
): Promise<Outcome> {
  const rounds = await interleave(
    {
      floor: async () => slope(await timeRun(floor, workload, longRun), end),
      everloop: async () => slope(await timeRun(everloop, workload, longRun), end),
    },
    {
      rounds: 3,
      warmUp: 0, // the short runs were one
      onRound: (done, all) => say(`pair ${done} of ${all} of ${longRun} iterations`),
    },
  );
  const ratios = rounds.map((round) => round.everloop / round.floor);
  return {
    figures: {
      [`floor, last ${end} / first ${end} iterations`]: estimateMedian(
        rounds.map((round) => round.floor),
      ),
      [`everloop, last ${end} / first ${end} iterations`]: estimateMedian(
        rounds.map((round) => round.everloop),
      ),
    },
    checks: [
      {
        name: `slope to ${longRun} iterations, everloop / floor`,
        measured: estimateMedian(ratios),
        bound: { atMost: 1 },
      },
    ],
  };
}
