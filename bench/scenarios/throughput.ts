/** `throughput`: many runs at once, on one Worker and on three, and how often a Worker lacks a transcript. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectClient } from '../../src/engine/connect.ts';
import type { Fleet, Lookups } from '../fleet.ts';
import { startFleet } from '../fleet.ts';
import { interleave } from '../interleave.ts';
import type { Outcome, Scenario } from '../scenario.ts';
import { startServer } from '../servers.ts';
import { namespace } from '../sides.ts';
import { estimateMedian } from '../statistics.ts';
import { createWorkload } from '../workload.ts';

const runs = 50;
/** Enough for start and end of the runs to weigh little. */
const iterations = 20;
const rounds = 10;
const warmUp = 1;

type Say = (line: string) => void;

export const throughputScenario: Scenario = {
  name: 'throughput',
  title: `${runs} runs at once on 1 and on 3 Workers, against the floor`,
  async run(say) {
    const one = await withWorkers(1, say);
    const three = await withWorkers(3, say);
    return {
      figures: { ...one.figures, ...three.figures },
      checks: [...one.checks, ...three.checks],
    };
  },
};

/** One round of Everloop: iterations per second, and the share of its model calls that lacked a transcript. */
interface Measured {
  readonly perSecond: number;
  readonly missPercent: number;
}

async function withWorkers(workers: number, say: Say): Promise<Outcome> {
  const server = await startServer('tuned');
  const { address } = server;
  const blobs = await mkdtemp(join(tmpdir(), 'everloop-bench-blobs-'));
  const { client, connection } = await connectClient({ address, namespace });
  const common = { workers, client, address, blobs, workload: createWorkload() };
  const fleets: Fleet[] = [];
  try {
    for (const side of ['floor', 'everloop'] as const) {
      fleets.push(await startFleet({ ...common, side }));
    }
    const [floor, everloop] = fleets;
    if (floor === undefined || everloop === undefined) throw new Error('a fleet is missing');
    return await compare(workers, floor, everloop, say);
  } finally {
    await Promise.all(fleets.map((fleet) => fleet.stop()));
    await connection.close();
    await server.stop();
    await rm(blobs, { recursive: true, force: true });
  }
}

async function compare(workers: number, floor: Fleet, everloop: Fleet, say: Say): Promise<Outcome> {
  const measured = await interleave(
    { floor: () => measure(floor), everloop: () => measure(everloop) },
    {
      rounds,
      warmUp,
      onRound: (done, all) => say(`${named(workers)}: pair ${done} of ${all} of ${runs} runs`),
    },
  );
  const name = named(workers);
  return {
    figures: {
      [`${name}: floor iterations per second`]: estimateMedian(
        measured.map((round) => round.floor.perSecond),
      ),
      [`${name}: everloop iterations per second`]: estimateMedian(
        measured.map((round) => round.everloop.perSecond),
      ),
    },
    checks: [
      {
        name: `${name}: everloop / floor`,
        measured: estimateMedian(
          measured.map((round) => round.everloop.perSecond / round.floor.perSecond),
        ),
        bound: { atLeast: 0.9 },
      },
      {
        name: `${name}: transcript misses, % of model calls`,
        measured: estimateMedian(measured.map((round) => round.everloop.missPercent)),
        bound: { atMost: 1 },
      },
    ],
  };
}

async function measure(fleet: Fleet): Promise<Measured> {
  const before = await fleet.lookups();
  const perSecond = await fleet.throughput(runs, iterations);
  return { perSecond, missPercent: missPercent(before, await fleet.lookups()) };
}

function missPercent(before: Lookups, after: Lookups): number {
  const misses = after.misses - before.misses;
  const calls = after.hits - before.hits + misses;
  return calls === 0 ? 0 : (misses * 100) / calls;
}

function named(workers: number): string {
  return workers === 1 ? '1 Worker' : `${workers} Workers`;
}
