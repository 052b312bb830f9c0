/** What a run did and was taken back from: it stays readable. */
import type { Client } from '@temporalio/client';
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import type { DoneCall } from '../history/discarded-work.ts';
import { doneSince } from '../history/discarded-work.ts';
import type { Origin, TemporalRun, ToldPoints } from '../history/told-points.ts';
import { readPoints } from '../history/told-points.ts';
import type { LoopState } from '../loop/loop-state.ts';
import type { RunEnd } from '../loop/run-status.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import { readHistory } from './read-history.ts';
import { backwards } from './temporal-runs.ts';
import { wholeRun } from './whole-run.ts';

/** One return of a run, and what it left behind. */
export interface DiscardedPart {
  /** Ordinal of the newest Temporal run that was left behind. */
  readonly generation: number;
  readonly temporalRunId: string;
  readonly how: 'rewound' | 'retried';
  /** When the run was taken back, milliseconds since the epoch. */
  readonly at: number;
  /** How it had ended by itself; absent when it was going on. */
  readonly ended?: RunEnd;
  readonly toIteration: number;
  /** The last iteration that had begun. */
  readonly lastIteration: number;
  /** Index of the first message that was left behind. */
  readonly firstMessage: number;
  readonly messages: readonly TranscriptMessage[];
  readonly calls: readonly DoneCall[];
}

/** Oldest first, as far as the server still has the histories. */
export async function discardedParts(
  client: Client,
  blobs: BlobStore | undefined,
  runId: string,
): Promise<readonly DiscardedPart[]> {
  const read = (run: TemporalRun) => readHistory(client, run);
  const parts: DiscardedPart[] = [];
  let taken: Taken | undefined;
  for await (const { temporalRunId, origin } of backwards(client, runId)) {
    if (origin === undefined || (origin.how !== 'rewound' && origin.how !== 'retried')) continue;
    const restored = await readPoints(read, { runId, temporalRunId }, () => true);
    const [first] = restored?.boundaries ?? [];
    // One that was itself taken back before it had found its point left nothing behind: the one after it did.
    if (restored !== undefined && first !== undefined) {
      taken = { state: first, at: restored.startedAt, how: origin.how, from: origin };
    }
    const left = await readPoints(read, { runId, temporalRunId: origin.previous });
    const { latest } = left ?? {};
    if (taken === undefined || latest?.agent === undefined) continue;
    const { state, at, how, from } = taken;
    const whole = await wholeRun(client, blobs, latest, origin.previous);
    const firstMessage = sharedMessages(state.transcript.seed?.count ?? 0, from.isChanged);
    const boundary = { temporalRunId: from.from.temporalRunId, iteration: state.iteration };
    const run = { runId, temporalRunId: origin.previous };
    const { calls } = await doneSince(read, run, boundary);
    const ended = endOf(left);
    parts.push({
      generation: latest.generation,
      temporalRunId: origin.previous,
      how,
      at,
      ...(ended !== undefined && { ended }),
      toIteration: state.iteration,
      lastIteration: latest.iteration,
      firstMessage,
      messages: whole.slice(firstMessage),
      calls,
    });
  }
  return parts.toReversed();
}

/** How the run was taken back, and to what. */
interface Taken extends Pick<DiscardedPart, 'at' | 'how'> {
  readonly state: LoopState;
  readonly from: Origin;
}

/** Messages that both have: the last one is another where it was edited. */
function sharedMessages(kept: number, isChanged: boolean): number {
  return isChanged ? Math.max(0, kept - 1) : kept;
}

/** A Temporal run that was open is terminated by the one that takes its place. */
function endOf(left: ToldPoints | undefined): RunEnd | undefined {
  return left?.latest?.endedAt === undefined ? undefined : left.latest.stop?.reason;
}
