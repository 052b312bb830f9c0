/** The whole transcript of a run, wherever it lies: in the newest history, in the blob store, or in the histories before. */
import type { Client } from '@temporalio/client';
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import { EverloopError } from '../everloop-error.ts';
import { RunProjection } from '../history/run-projection.ts';
import type { LoopState } from '../loop/loop-state.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import { wholeTranscript } from '../storage/whole-transcript.ts';
import { readHistory } from './read-history.ts';
import { temporalRuns } from './temporal-runs.ts';

/**
 * All messages that the state stands for. Without a blob store, or where it lacks a part, they are read from
 * the histories of all Temporal runs.
 * @throws EverloopError `blob_missing` when neither has them any more
 */
export async function wholeRun(
  client: Client,
  blobs: BlobStore | undefined,
  { runId, transcript }: LoopState,
): Promise<readonly TranscriptMessage[]> {
  if (transcript.count === transcript.tail.length) return transcript.tail;
  if (blobs !== undefined) {
    try {
      return await wholeTranscript(blobs, transcript);
    } catch (error) {
      if (!(error instanceof EverloopError)) throw error;
    }
  }
  return await fromHistories(client, runId, transcript.count);
}

async function fromHistories(
  client: Client,
  runId: string,
  count: number,
): Promise<readonly TranscriptMessage[]> {
  const messages: TranscriptMessage[] = [];
  for (const temporalRunId of await temporalRuns(client, runId)) {
    const projection = new RunProjection(runId);
    for await (const event of readHistory(client, { runId, temporalRunId })) projection.add(event);
    messages.push(...(projection.state?.transcript.tail ?? []));
  }
  if (messages.length >= count) return messages.slice(0, count);
  throw new EverloopError(
    'blob_missing',
    `the first ${count - messages.length} messages of run ${runId} are not there`,
    {
      hint: 'the server keeps their history no longer: connect with the blob store of the Workers',
    },
  );
}
