/** Rebuilds a model context from the run's history alone, when the process that held it is gone. */

import type { TranscriptMessage } from '../chat/transcript-message.ts';
import type { RecordedEvent } from '../history/recorded-event.ts';
import { RunProjection } from '../history/run-projection.ts';
import type { AgentSpec } from '../loop/agent-spec.ts';

/** Reads the events of one Temporal run, oldest first. */
export type ReadHistory = (run: {
  readonly runId: string;
  readonly temporalRunId: string;
}) => AsyncIterable<RecordedEvent>;

/**
 * Agent and transcript as they were when the Activity `activityId` was scheduled.
 * @throws Error when the history does not reach it: a broken invariant
 */
export async function rebuildContext(
  readHistory: ReadHistory,
  call: { readonly runId: string; readonly temporalRunId: string; readonly activityId: string },
): Promise<{ agent: AgentSpec; messages: readonly TranscriptMessage[] }> {
  const projection = new RunProjection(call.runId);
  for await (const event of readHistory(call)) {
    projection.add(event);
    if (event.type === 'activity-scheduled' && event.activityId === call.activityId) {
      const { state } = projection;
      if (state?.agent === undefined) break;
      return { agent: state.agent, messages: state.transcript.tail };
    }
  }
  throw new Error(`the history of ${call.runId} does not hold the call ${call.activityId}`);
}
