/** What can happen to a run. The Workflow meets facts as they happen, the history projection reads the same ones from history. */
import type { Message } from '../chat/message.ts';
import type { AppendEntry } from './advance.ts';
import type { AgentSpec } from './agent-spec.ts';
import type { BudgetLimits } from './budget-limits.ts';
import type { ModelCallResult } from './calls.ts';
import type { AnswerInput, DecideInput, PauseInput } from './control.ts';
import type { HookResult } from './hook-changes.ts';
import type { CallError } from './loop-state.ts';
import type { Restored } from './restored.ts';
import type { StartInput } from './run-input.ts';
import type { RunResult } from './run-result.ts';
import type { Stop } from './stop.ts';
import type { ToolOutcome } from './tool-outcome.ts';
import type { TranscriptRef } from './transcript-ref.ts';

/** `at` is Workflow time in milliseconds since the epoch: the same on every replay, and readable from history. */
export type Fact =
  | {
      readonly type: 'run-started';
      readonly at: number;
      readonly runId: string;
      readonly firstTemporalRunId: string;
      readonly start: StartInput;
    }
  /** The point that the run goes on from was found. */
  | ({ readonly type: 'restored' } & Restored)
  | { readonly type: 'agent-resolved'; readonly agent: AgentSpec }
  | {
      readonly type: 'message-received';
      readonly at: number;
      readonly id: string;
      readonly message: Message;
      readonly mode?: 'steer' | 'interrupt';
    }
  | { readonly type: 'decided'; readonly at: number; readonly decision: DecideInput }
  | { readonly type: 'answered'; readonly at: number; readonly answer: AnswerInput }
  /** A timer of the run has fired: waits whose time is over end. */
  | { readonly type: 'waits-expired'; readonly at: number }
  | ({ readonly type: 'paused'; readonly at: number } & PauseInput)
  | ({ readonly type: 'resumed'; readonly at: number } & PauseInput)
  /** A Signal held what the run cannot take. */
  | { readonly type: 'message-refused' }
  | {
      readonly type: 'iteration-started';
      readonly iteration: number;
      /** Ids of the inbox messages that this iteration appends, in order. */
      readonly received: readonly string[];
    }
  /** Messages leave the inbox between two iterations. */
  | { readonly type: 'messages-taken'; readonly received: readonly string[] }
  | { readonly type: 'appended'; readonly entries: readonly AppendEntry[] }
  /** A command told what was appended. */
  | { readonly type: 'told' }
  /** The transcript so far lies in the blob store. */
  | { readonly type: 'sealed'; readonly ref: TranscriptRef }
  | { readonly type: 'model-started' }
  | {
      /** For good: after the last attempt. */
      readonly type: 'model-failed';
      readonly at: number;
      readonly activityId: string;
      readonly error: CallError;
    }
  /** A message cut the model call off before it had begun. */
  | { readonly type: 'model-interrupted'; readonly activityId: string }
  | {
      /** Nothing came of it without a result. */
      readonly type: 'compacted';
      readonly at: number;
      readonly activityId: string;
      readonly result?: ModelCallResult;
    }
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
  /** A call runs as a sub-agent. */
  | {
      readonly type: 'child-started';
      readonly callId: string;
      readonly runId: string;
      readonly agent: string;
    }
  /** `result` is absent for one that ended without any; `problem` says why. */
  | {
      readonly type: 'child-ended';
      readonly at: number;
      readonly runId: string;
      readonly result?: RunResult;
      readonly problem?: string;
    }
  /** The hooks of one moment were asked. */
  | { readonly type: 'hooks-asked'; readonly at: number; readonly result: HookResult }
  | { readonly type: 'iteration-ended' }
  /** Somebody gave the run more: `budget` is added to its limits. */
  | { readonly type: 'budget-extended'; readonly at: number; readonly budget: BudgetLimits }
  /** The run is at its budget and waits for more. */
  | { readonly type: 'budget-awaited'; readonly at: number }
  | { readonly type: 'cancel-requested' }
  /** The decision to stop: every open call gets its result. */
  | { readonly type: 'stopped'; readonly at: number; readonly stop: Stop }
  | { readonly type: 'ended'; readonly at: number };
