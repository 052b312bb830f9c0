/** What the Workflow tells its host process, outside history: every message as it is appended, so that the process holding the Workflow holds the transcript too. */
import type { Sinks } from '@temporalio/workflow';
import { proxySinks } from '@temporalio/workflow';
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import type { AgentSpec } from '../loop/agent-spec.ts';
import type { Compaction } from '../loop/compaction.ts';
import type { LoopState } from '../loop/loop-state.ts';

/** The Sinks, as the host process implements them. */
export interface RunSinks extends Sinks {
  transcript: {
    /** The agent is known; the transcript that follows starts empty. */
    begin(agent: AgentSpec): void;
    /** The run goes on in a new Temporal run; its first `count` messages are those of the one before. */
    goOn(
      agent: AgentSpec,
      previous: { readonly temporalRunId: string; readonly count: number },
    ): void;
    /** Message `index` (from 0). Called again for the same index when the Workflow is replayed. */
    append(index: number, message: TranscriptMessage): void;
    /** What is sent to the model in place of the first messages from now on. */
    compact(compaction: Compaction): void;
    /** The run has ended. */
    end(): void;
  };
  boundary: {
    /** LoopState at the start, after an iteration and at the end; its tail holds what came since the last time, and so does its agent. Called by a replay only. */
    reached(state: LoopState): void;
  };
}

/** The Sinks, as Workflow code calls them. */
export const sinks = proxySinks<RunSinks>();
