/** `history`: how many bytes an iteration leaves in history, and that it does not matter how long the run is. */
import type { Client } from '@temporalio/client';
import { toMessage } from '../../src/chat/to-message.ts';
import { Everloop } from '../../src/client/everloop.ts';
import type { Contestant } from '../contestants.ts';
import type { HistorySize } from '../history-bytes.ts';
import { bytesByType, bytesPerIteration, historySize } from '../history-bytes.ts';
import { interleave } from '../interleave.ts';
import type { Check, Scenario } from '../scenario.ts';
import { estimateMedian } from '../statistics.ts';
import { timeRun } from '../time-run.ts';
import { withContestants } from '../with-contestants.ts';
import type { Workload } from '../workload.ts';
import { createWorkload } from '../workload.ts';

const short = 50;
const long = 400;
/** Pairs per size. */
const pairs = 10;
/** One model call, one tool call. */
const callsPerIteration = 2;

type Say = (line: string) => void;

/** A finished run of one side. */
interface Measured extends HistorySize {
  /** What the run has left in the blob store: its sealed transcript. 0 for the floor. */
  readonly blobBytes: number;
  /** JSON bytes of the messages as a model gets them; 0 for the floor, which has no transcript to ask for. */
  readonly transcriptBytes: number;
}

type Pair = { readonly floor: Measured; readonly everloop: Measured };

export const historyScenario: Scenario = {
  name: 'history',
  title: 'bytes of history per iteration against the floor and against the transcript',
  async run(say) {
    const at50 = await pairsOf({ messageBytes: 1024, iterations: short, pairs }, say);
    const at400 = await pairsOf({ messageBytes: 1024, iterations: long, pairs }, say);
    const large = await pairsOf({ messageBytes: 10 * 1024, iterations: short, pairs }, say);
    return {
      figures: {
        ...figuresOf(`1 KB, ${short} iterations`, at50, short),
        ...figuresOf(`1 KB, ${long} iterations`, at400, long),
        ...figuresOf(`10 KB, ${short} iterations`, large, short),
      },
      checks: [
        againstFloor(short, at50),
        againstFloor(long, at400),
        {
          name: `bytes per iteration at ${long} / at ${short} iterations`,
          measured: estimateMedian(at400.map(growth)),
          bound: { atMost: 1.05 },
        },
        againstTranscript(`1 KB, ${short} iterations`, at50, 3.1),
        againstTranscript(`1 KB, ${long} iterations`, at400, 3.1),
        againstTranscript(`10 KB, ${short} iterations`, large, 2.2),
      ],
    };
  },
};

async function pairsOf(
  what: { messageBytes: number; iterations: number; pairs: number },
  say: Say,
): Promise<Pair[]> {
  const { messageBytes, iterations, pairs } = what;
  const workload = createWorkload(messageBytes);
  return await withContestants('tuned', workload, ({ client, floor, everloop, blobBytes }) =>
    interleave(
      {
        floor: async () => ({
          ...(await measure(client, floor, workload, iterations)),
          blobBytes: 0,
          transcriptBytes: 0,
        }),
        everloop: async () => {
          const before = await blobBytes();
          const measured = await measure(client, everloop, workload, iterations);
          return {
            ...measured,
            // Message ids are the run's own, so no two runs share a blob.
            blobBytes: (await blobBytes()) - before,
            transcriptBytes: await transcriptBytes(client, measured.id),
          };
        },
      },
      {
        rounds: pairs,
        warmUp: 0, // bytes need none
        onRound: (done) =>
          say(
            `pair ${done} of ${pairs}: ${iterations} iterations, ${messageBytes} bytes a message`,
          ),
      },
    ),
  );
}

async function measure(
  client: Client,
  contestant: Contestant,
  workload: Workload,
  iterations: number,
): Promise<HistorySize & { readonly id: string }> {
  const { id } = await timeRun(contestant, workload, iterations);
  return { ...(await historySize(client, id)), id };
}

async function transcriptBytes(client: Client, id: string): Promise<number> {
  const messages = await Everloop.from(client).run(id).messages();
  return Buffer.byteLength(JSON.stringify(messages.map(toMessage)));
}

/** The last iterations of a run over its first ones, so that the fixed part at the start hides nothing. */
function growth({ everloop: { events } }: Pair): number {
  const last = bytesPerIteration(events, { from: long - short, to: long - 1, callsPerIteration });
  return last / bytesPerIteration(events, { from: 1, to: short, callsPerIteration });
}

/** The whole history is divided by the iterations: start and end count. */
function againstFloor(iterations: number, pairs: readonly Pair[]): Check {
  return {
    name: `everloop / floor, 1 KB, ${iterations} iterations`,
    measured: estimateMedian(pairs.map(({ floor, everloop }) => everloop.bytes / floor.bytes)),
    bound: { atMost: 1.1 },
  };
}

function againstTranscript(name: string, pairs: readonly Pair[], atMost: number): Check {
  const ratios = pairs.map(
    ({ everloop: { bytes, blobBytes, transcriptBytes } }) => (bytes + blobBytes) / transcriptBytes,
  );
  return {
    name: `(history + blobs) / transcript, ${name}`,
    measured: estimateMedian(ratios),
    bound: { atMost },
  };
}

function figuresOf(name: string, pairs: readonly Pair[], iterations: number) {
  const perIteration = (bytes: (pair: Pair) => number) =>
    estimateMedian(pairs.map((pair) => bytes(pair) / iterations));
  const byType = (['floor', 'everloop'] as const).flatMap((side) =>
    Object.entries(bytesByType(pairs[0]?.[side].events ?? [])).map(
      ([type, bytes]): [string, number] => [
        `${name}: ${side} ${type}, bytes per iteration`,
        bytes / iterations,
      ],
    ),
  );
  return {
    [`${name}: floor bytes per iteration`]: perIteration(({ floor }) => floor.bytes),
    [`${name}: everloop bytes per iteration`]: perIteration(({ everloop }) => everloop.bytes),
    [`${name}: floor bytes per iteration, server's count`]: perIteration(
      ({ floor }) => floor.serverBytes,
    ),
    [`${name}: everloop bytes per iteration, server's count`]: perIteration(
      ({ everloop }) => everloop.serverBytes,
    ),
    [`${name}: everloop events per iteration`]: perIteration(
      ({ everloop }) => everloop.events.length,
    ),
    [`${name}: everloop blob bytes per iteration`]: perIteration(
      ({ everloop }) => everloop.blobBytes,
    ),
    [`${name}: transcript bytes per iteration`]: perIteration(
      ({ everloop }) => everloop.transcriptBytes,
    ),
    ...Object.fromEntries(byType),
  };
}
