/** `engine`: what Everloop's server settings bring over the dev server as it comes. */
import type { Contestants } from '../contestants.ts';
import type { Scenario } from '../scenario.ts';
import type { ServerKind } from '../servers.ts';
import { estimateMedian } from '../statistics.ts';
import { iterationMs, timeRun } from '../time-run.ts';
import { withContestants } from '../with-contestants.ts';
import type { Workload } from '../workload.ts';
import { createWorkload } from '../workload.ts';

/** The stock server lets the first 20 tasks or so through unlimited: a short run would not meet its limit. */
const iterations = 200;
const warmUpIterations = 30;
const pairCount = 5;
const kindsInOrder: readonly ServerKind[] = ['stock', 'tuned'];

/** Milliseconds per iteration of each side. */
interface Measured {
  readonly floor: number;
  readonly everloop: number;
}

interface Pair {
  readonly stock: Measured;
  readonly tuned: Measured;
}

export const engineScenario: Scenario = {
  name: 'engine',
  title: `the tuned server against the stock dev server, ${iterations} iterations a run`,
  async run(say) {
    const workload = createWorkload();
    const pairs: Pair[] = [];
    for (let pair = 1; pair <= pairCount; pair += 1) {
      const kinds = pair % 2 === 0 ? kindsInOrder : kindsInOrder.toReversed();
      const measured = new Map<ServerKind, Measured>();
      // One server at a time: the tuned one is limited by the processor, which an idle server uses too.
      for (const kind of kinds) {
        measured.set(
          kind,
          await withContestants(kind, workload, (sides) => measure(sides, workload, pair)),
        );
      }
      pairs.push({ stock: found(measured, 'stock'), tuned: found(measured, 'tuned') });
      say(`pair ${pair} of ${pairCount}`);
    }
    const gain = {
      floor: pairs.map(({ stock, tuned }) => stock.floor / tuned.floor),
      everloop: pairs.map(({ stock, tuned }) => stock.everloop / tuned.everloop),
    };
    return {
      figures: {
        'floor on stock, ms per iteration': estimateMedian(pairs.map(({ stock }) => stock.floor)),
        'floor on tuned, ms per iteration': estimateMedian(pairs.map(({ tuned }) => tuned.floor)),
        'everloop on stock, ms per iteration': estimateMedian(
          pairs.map(({ stock }) => stock.everloop),
        ),
        'everloop on tuned, ms per iteration': estimateMedian(
          pairs.map(({ tuned }) => tuned.everloop),
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

/** Both sides on one server, after a short run of each; the order alternates from pair to pair. */
async function measure(sides: Contestants, workload: Workload, pair: number): Promise<Measured> {
  const measured = { floor: 0, everloop: 0 };
  const names = pair % 4 < 2 ? (['floor', 'everloop'] as const) : (['everloop', 'floor'] as const);
  for (const name of names) await timeRun(sides[name], workload, warmUpIterations);
  for (const name of names) {
    measured[name] = iterationMs(await timeRun(sides[name], workload, iterations));
  }
  return measured;
}

function found(measured: ReadonlyMap<ServerKind, Measured>, kind: ServerKind): Measured {
  const figures = measured.get(kind);
  if (figures === undefined) throw new Error(`the ${kind} server was not measured`);
  return figures;
}
