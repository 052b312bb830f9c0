/** The Activity that puts the transcript so far into the blob store, read from the run's history alone. */
import { Context } from '@temporalio/activity';
import { SealInput } from '../loop/calls.ts';
import type { TranscriptRef } from '../loop/transcript-ref.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import { writeTranscript } from '../storage/transcript-store.ts';
import { withHeartbeat } from './heartbeat.ts';
import type { ReadHistory } from './rebuild-context.ts';
import { stateWhenScheduled } from './rebuild-context.ts';
import { isBlobError, toBlobFailure } from './to-blob-failure.ts';

/** What sealing needs of its Worker. */
export interface SealTranscriptDependencies {
  readonly blobs: BlobStore;
  readonly readHistory: ReadHistory;
  readonly heartbeatIntervalMs: number;
}

/** Makes the Activity `everloopSealTranscript`. */
export function createSealTranscript(dependencies: SealTranscriptDependencies) {
  return (raw: SealInput): Promise<TranscriptRef> =>
    withHeartbeat(dependencies.heartbeatIntervalMs, async () => {
      const { upTo, digest } = SealInput.parse(raw);
      const { activityId, workflowExecution } = Context.current().info;
      if (workflowExecution === undefined) throw new Error('sealing needs a Workflow');
      const { workflowId: runId, runId: temporalRunId } = workflowExecution;
      const where = { runId, temporalRunId, activityId };
      const { transcript } = await stateWhenScheduled(dependencies.readHistory, where);
      if (transcript.count !== upTo || transcript.digest !== digest) {
        throw new Error(`the history of ${runId} tells another transcript than its Workflow`);
      }
      const { sealed, tail, count } = transcript;
      const fresh = tail.slice((sealed?.messages ?? 0) - (count - tail.length));
      try {
        // A store that hangs must not hold a run that is cancelled.
        return await orStopped(writeTranscript(dependencies.blobs, sealed, fresh));
      } catch (error) {
        throw isBlobError(error) ? toBlobFailure(error) : error;
      }
    });
}

function orStopped<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return Promise.race([work, Context.current().cancelled]);
}
