/** What can happen to a run. The Workflow meets facts as they happen, the history projection reads the same ones from history. */
import type { Message } from '../chat/message.ts';
import type { AgentSpec } from './agent-spec.ts';
import type { AppendEntry, ModelCallResult } from './calls.ts';
import type { StartInput } from './run-input.ts';
import type { Stop } from './stop.ts';
import type { ToolOutcome } from './tool-outcome.ts';

/** `at` is Workflow time in milliseconds since the epoch: the same on every replay, and readable from history. */
export type Fact =
  | {
      readonly type: 'run-started';
      readonly at: number;
      readonly runId: string;
      readonly firstTemporalRunId: string;
      readonly start: StartInput;
    }
  | { readonly type: 'agent-resolved'; readonly agent: AgentSpec }
  | {
      readonly type: 'message-received';
      readonly at: number;
      readonly id: string;
      readonly message: Message;
    }
  | {
      readonly type: 'iteration-started';
      readonly iteration: number;
      /** Ids of the inbox messages that this iteration appends, in order. */
      readonly received: readonly string[];
    }
  | { readonly type: 'appended'; readonly entries: readonly AppendEntry[] }
  | { readonly type: 'model-started' }
  | {
      readonly type: 'model-ended';
      readonly at: number;
      readonly activityId: string;
      readonly result: ModelCallResult;
    }
  | { readonly type: 'tool-started'; readonly callId: string }
  | {
      readonly type: 'tool-ended';
      readonly at: number;
      readonly callId: string;
      readonly outcome: ToolOutcome;
    }
  | { readonly type: 'iteration-ended' }
  | { readonly type: 'cancel-requested' }
  | { readonly type: 'stopped'; readonly at: number; readonly stop: Stop };
