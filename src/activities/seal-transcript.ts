/** The Activity that puts the transcript so far into the blob store: as this process holds it, or as history tells it. */
import { Context } from '@temporalio/activity';
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import { SealInput } from '../loop/calls.ts';
import type { TranscriptRef } from '../loop/transcript-ref.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import { writeTranscript } from '../storage/transcript-store.ts';
import { callHere } from './call-here.ts';
import { withHeartbeat } from './heartbeat.ts';
import type { ModelContexts } from './model-contexts.ts';
import type { ReadHistory } from './rebuild-context.ts';
import { stateWhenScheduled } from './rebuild-context.ts';
import { isBlobError, toBlobFailure } from './to-blob-failure.ts';

/** What sealing needs of its Worker. */
export interface SealTranscriptDependencies {
  readonly blobs: BlobStore;
  readonly contexts: ModelContexts;
  readonly readHistory: ReadHistory;
  readonly heartbeatIntervalMs: number;
}

/** Makes the Activity `everloopSealTranscript`. */
export function createSealTranscript(dependencies: SealTranscriptDependencies) {
  return (raw: SealInput): Promise<TranscriptRef> =>
    withHeartbeat(dependencies.heartbeatIntervalMs, async () => {
      const input = SealInput.parse(raw);
      const { sealed } = input;
      const fresh = await messagesSince(dependencies, input, sealed?.messages ?? 0);
      try {
        // A store that hangs must not hold a run that is cancelled.
        return await orStopped(writeTranscript(dependencies.blobs, sealed, fresh));
      } catch (error) {
        throw isBlobError(error) ? toBlobFailure(error) : error;
      }
    });
}

/** The transcript from index `since` on, which may not lie before what the state still holds. */
async function messagesSince(
  { contexts, readHistory }: SealTranscriptDependencies,
  { upTo, digest }: SealInput,
  since: number,
): Promise<readonly TranscriptMessage[]> {
  const where = callHere();
  const cached = contexts.lookup(where.temporalRunId, upTo, digest);
  if (cached !== undefined) return cached.transcript.slice(since);
  const { transcript } = await stateWhenScheduled(readHistory, where);
  const { count, tail } = transcript;
  if (count !== upTo || transcript.digest !== digest) {
    throw new Error(`the history of ${where.runId} tells another transcript than its Workflow`);
  }
  return tail.slice(since - (count - tail.length));
}

function orStopped<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return Promise.race([work, Context.current().cancelled]);
}
