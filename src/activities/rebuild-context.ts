/** Rebuilds a model context from the run's history alone, when the process that held it is gone. */

import type { TranscriptMessage } from '../chat/transcript-message.ts';
import { RunProjection } from '../history/run-projection.ts';
import type { ReadHistory } from '../history/told-points.ts';
import type { AgentSpec } from '../loop/agent-spec.ts';
import type { LoopState, Transcript } from '../loop/loop-state.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import { wholeTranscript } from '../storage/whole-transcript.ts';

export type { ReadHistory } from '../history/told-points.ts';

/** One Activity of one Temporal run; of several with one id the newest. */
export interface ScheduledActivity {
  readonly runId: string;
  readonly temporalRunId: string;
  readonly activityId: string;
}

/**
 * LoopState as it was when the Activity was scheduled.
 * @throws Error when the history does not reach it: a broken invariant
 */
export async function stateWhenScheduled(
  readHistory: ReadHistory,
  activity: ScheduledActivity,
): Promise<LoopState> {
  const projection = new RunProjection(activity.runId);
  let found: LoopState | undefined;
  for await (const event of readHistory(activity)) {
    projection.add(event);
    if (event.type === 'activity-scheduled' && event.activityId === activity.activityId) {
      found = projection.state;
    }
  }
  if (found !== undefined) return found;
  throw new Error(`the history of ${activity.runId} does not hold ${activity.activityId}`);
}

/**
 * Agent and transcript as they were when the Activity was scheduled.
 * @throws Error when the history does not reach it; EverloopError `blob_missing`, `blob_store_failed`
 */
export async function rebuildContext(
  { readHistory, blobs }: { readonly readHistory: ReadHistory; readonly blobs: BlobStore },
  activity: ScheduledActivity,
): Promise<{
  agent: AgentSpec;
  messages: readonly TranscriptMessage[];
  seed: Transcript['seed'];
  compaction: LoopState['compaction'];
}> {
  const { agent, transcript, compaction } = await stateWhenScheduled(readHistory, activity);
  if (agent === undefined) throw new Error('a model was called before the agent was known');
  const messages = await wholeTranscript(blobs, transcript);
  return { agent, messages, seed: transcript.seed, compaction };
}

/** The transcript as it was when the Activity was scheduled: read when it is asked for, and once. */
export function messagesOf(
  source: { readonly readHistory: ReadHistory; readonly blobs: BlobStore },
  activity: ScheduledActivity,
): () => Promise<readonly TranscriptMessage[]> {
  let reading: Promise<readonly TranscriptMessage[]> | undefined;
  return () => {
    reading ??= stateWhenScheduled(source.readHistory, activity).then(({ transcript }) =>
      wholeTranscript(source.blobs, transcript),
    );
    return reading;
  };
}
