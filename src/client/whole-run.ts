/** The whole transcript of a run, wherever it lies: in the newest history, in the blob store, or in the histories before. */
import type { Client } from '@temporalio/client';
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import { EverloopError } from '../everloop-error.ts';
import type { TemporalRun, ToldPoints } from '../history/told-points.ts';
import { readPoints } from '../history/told-points.ts';
import type { LoopState } from '../loop/loop-state.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import { wholeTranscript } from '../storage/whole-transcript.ts';
import { readHistory } from './read-history.ts';
import { newestTemporalRun } from './temporal-runs.ts';

/**
 * All messages that the state stands for. Without a blob store, or where it lacks a part, they are read from the
 * histories of all Temporal runs that it goes back to.
 * @param temporalRunId the one in whose history the state stands; the newest when absent
 * @throws EverloopError `blob_missing` when neither has them any more
 */
export async function wholeRun(
  client: Client,
  blobs: BlobStore | undefined,
  { runId, transcript }: LoopState,
  temporalRunId?: string,
): Promise<readonly TranscriptMessage[]> {
  if (transcript.count === transcript.tail.length) return transcript.tail;
  if (blobs !== undefined) {
    try {
      return await wholeTranscript(blobs, transcript);
    } catch (error) {
      if (!(error instanceof EverloopError)) throw error;
    }
  }
  const newest = temporalRunId ?? (await newestTemporalRun(client, runId));
  return await fromHistories(client, { runId, temporalRunId: newest }, transcript.count);
}

/** From the newest back: each history holds the messages that came after those it went on from. */
async function fromHistories(
  client: Client,
  run: TemporalRun,
  count: number,
): Promise<readonly TranscriptMessage[]> {
  const read = (part: TemporalRun) => readHistory(client, part);
  let messages: readonly TranscriptMessage[] = [];
  let missing = count;
  let next: TemporalRun | undefined = run;
  while (next !== undefined && missing > 0) {
    const told: ToldPoints | undefined = await readPoints(read, next);
    if (told?.latest === undefined) break;
    const { tail, count: end } = told.latest.transcript;
    const first = end - tail.length;
    messages = [...tail.slice(0, Math.max(0, missing - first)), ...messages];
    missing = Math.min(missing, first);
    next = told.origin?.isChanged === true ? undefined : told.origin?.from;
  }
  if (missing === 0) return messages;
  throw new EverloopError(
    'blob_missing',
    `the first ${missing} messages of run ${run.runId} are not there`,
    { hint: 'no history holds them any more: connect with the blob store of the Workers' },
  );
}
