/** What the Workflow tells its host process, outside history: every message as it is appended, so that the process holding the Workflow holds the transcript too. */
import type { Sinks } from '@temporalio/workflow';
import { proxySinks } from '@temporalio/workflow';
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import type { AgentSpec } from '../loop/agent-spec.ts';
import type { LoopState } from '../loop/loop-state.ts';

export interface RunSinks extends Sinks {
  transcript: {
    /** The agent is known; the transcript that follows starts empty. */
    begin(agent: AgentSpec): void;
    /** Message `index` (from 0). Called again for the same index when the Workflow is replayed. */
    append(index: number, message: TranscriptMessage): void;
    /** The run has ended. */
    end(): void;
  };
  boundary: {
    /** LoopState at the start, after an iteration and at the end; its tail holds what came since the last time. Called by a replay only. */
    reached(state: LoopState): void;
  };
}

export const sinks = proxySinks<RunSinks>();
