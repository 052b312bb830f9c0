/** `fork`: how long it takes from the fork call to the fork's first model call, and what it leaves, however long the run is. */
import { Everloop } from '../../src/client/everloop.ts';
import type { Contestants } from '../contestants.ts';
import { historySize } from '../history-bytes.ts';
import { interleave } from '../interleave.ts';
import type { Check, Scenario } from '../scenario.ts';
import { estimateMedian } from '../statistics.ts';
import { startMs, timeRun } from '../time-run.ts';
import { withContestants } from '../with-contestants.ts';
import type { Workload } from '../workload.ts';
import { createWorkload } from '../workload.ts';

/** Iterations of the runs that are forked. */
const lengths = [50, 500, 5_000] as const;
const rounds = 12;
const warmUp = 2;

/** One fork, measured. */
interface Fork {
  readonly ms: number;
  readonly historyBytes: number;
  readonly blobBytes: number;
}

type Round = Readonly<Record<`${(typeof lengths)[number]}` | 'start', Fork>>;

export const forkScenario: Scenario = {
  name: 'fork',
  title: `fork call to first model call, of runs of ${lengths.join(', ')} iterations, against a plain start`,
  async run(say) {
    const workload = createWorkload();
    const measured = await withContestants('tuned', workload, (contestants) =>
      measure(contestants, workload, say),
    );
    const [short, ...longer] = lengths;
    return {
      figures: {
        'start ms': estimateMedian(measured.map(({ start }) => start.ms)),
        ...figuresOf(measured),
      },
      checks: [
        ...lengths.map((length) => ({
          name: `fork of ${length} iterations / start`,
          measured: estimateMedian(measured.map((round) => round[`${length}`].ms / round.start.ms)),
          bound: { atMost: 2 },
        })),
        ...longer.flatMap((length) => [
          against(measured, short, length, 'ms', 1.1),
          against(measured, short, length, 'historyBytes', 1.05),
          against(measured, short, length, 'blobBytes', 1.05),
        ]),
      ],
    };
  },
};

async function measure(
  contestants: Contestants,
  workload: Workload,
  say: (line: string) => void,
): Promise<readonly Round[]> {
  const { everloop } = contestants;
  const ids: string[] = [];
  for (const length of lengths) {
    ids.push((await timeRun(everloop, workload, length)).id);
    say(`a run of ${length} iterations is there`);
  }
  const [first = '', second = '', third = ''] = ids;
  return await interleave(
    {
      start: async () => ({
        ms: startMs(await timeRun(everloop, workload, 1)),
        historyBytes: 0,
        blobBytes: 0,
      }),
      '50': () => forkOnce(contestants, workload, first),
      '500': () => forkOnce(contestants, workload, second),
      '5000': () => forkOnce(contestants, workload, third),
    },
    { rounds, warmUp, onRound: (done, all) => say(`round ${done} of ${all}`) },
  );
}

/** Forks at the end, for one iteration with one question. */
async function forkOnce(
  { client, blobs, blobBytes }: Contestants,
  workload: Workload,
  id: string,
): Promise<Fork> {
  const before = await blobBytes();
  const calls = workload.watch();
  const startedAt = performance.now();
  const forks = await Everloop.from(client, { blobs })
    .run(id)
    .fork({ input: 'And now?', maxIterations: 1 });
  const [fork] = forks;
  if (fork === undefined) throw new Error('nothing was forked');
  await fork.result();
  return {
    ms: startMs({ startedAt, modelCallsAt: calls }),
    historyBytes: (await historySize(client, fork.id)).bytes,
    blobBytes: (await blobBytes()) - before,
  };
}

function against(
  measured: readonly Round[],
  short: (typeof lengths)[number],
  length: (typeof lengths)[number],
  what: keyof Fork,
  atMost: number,
): Check {
  const ratios = measured.map((round) => round[`${length}`][what] / round[`${short}`][what]);
  const names = { ms: 'time', historyBytes: 'history', blobBytes: 'blobs' };
  return {
    name: `${names[what]} of a fork of ${length} / of ${short} iterations`,
    measured: estimateMedian(ratios),
    bound: { atMost },
  };
}

function figuresOf(measured: readonly Round[]) {
  return Object.fromEntries(
    lengths.flatMap((length) => {
      const of = (what: keyof Fork) =>
        estimateMedian(measured.map((round) => round[`${length}`][what]));
      return [
        [`fork of ${length} iterations, ms`, of('ms')],
        [`fork of ${length} iterations, bytes of history`, of('historyBytes')],
        [`fork of ${length} iterations, bytes of blobs`, of('blobBytes')],
      ];
    }),
  );
}
