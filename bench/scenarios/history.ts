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
  return await withContestants('tuned', workload, ({ client, floor, everloop }) =>
    interleave(
      {
        floor: () => measure(client, floor, workload, iterations, async () => 0),
        everloop: () =>
          measure(client, everloop, workload, iterations, (id) => transcriptBytes(client, id)),
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
  transcriptBytesOf: (id: string) => Promise<number>,
): Promise<Measured> {
  const { id } = await timeRun(contestant, workload, iterations);
  return { ...(await historySize(client, id)), transcriptBytes: await transcriptBytesOf(id) };
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
  const ratios = pairs.map(({ everloop }) => everloop.bytes / everloop.transcriptBytes);
  return {
    name: `history / transcript, ${name}`,
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
    [`${name}: transcript bytes per iteration`]: perIteration(
      ({ everloop }) => everloop.transcriptBytes,
    ),
    ...Object.fromEntries(byType),
  };
}
