/** LoopState: everything a run knows about itself, as plain JSON data. It is a fold over facts and nothing else. */

import type { FinishReason } from '../chat/finish-reason.ts';
import type { JsonValue } from '../chat/json.ts';
import type { Repair } from '../chat/repair.ts';
import type { ToolCall } from '../chat/tool-call.ts';
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import type { UsageTotal } from '../chat/usage.ts';
import type { AppendEntry } from './advance.ts';
import type { AgentSpec } from './agent-spec.ts';
import type { HookChanges } from './hook-changes.ts';
import type { StartInput } from './run-input.ts';
import type { Stop } from './stop.ts';
import type { TranscriptRef } from './transcript-ref.ts';

/** Version of the loop's rules. There is only one so far; once there are two, a run keeps the one that it began with. */
export const loopVersion = 1;

/** Where a run is inside its loop. */
export type Phase =
  | { readonly kind: 'starting' }
  | { readonly kind: 'model' }
  | { readonly kind: 'tools' }
  | { readonly kind: 'between' }
  /** After the end of an iteration: nothing runs. */
  | { readonly kind: 'boundary' }
  /** The stop is decided; what follows it still runs. */
  | { readonly kind: 'ending' }
  | { readonly kind: 'ended' };

/** A tool call on its way to a result; `index` is its place in the response. */
export type PendingToolCall =
  | { readonly status: 'proposed'; readonly call: ToolCall; readonly index: number }
  | { readonly status: 'running'; readonly call: ToolCall; readonly index: number }
  | {
      readonly status: 'settled';
      readonly call: ToolCall;
      readonly index: number;
      readonly message: TranscriptMessage;
      /** True when the message is the Workflow's own and stands nowhere else in history. */
      readonly placeholder: boolean;
      /** What hooks after the call changed; it takes effect in call order. */
      readonly changes?: readonly HookChanges[];
    };

/** The messages of a run. `digest` chains the agent's hash and every message id, in order. */
export interface Transcript {
  readonly count: number;
  readonly digest: string;
  /** The first messages, as they lie in the blob store. */
  readonly sealed?: TranscriptRef;
  /** The last messages: from index `count - tail.length` on. What came before them is sealed. */
  readonly tail: readonly TranscriptMessage[];
}

/** A user message that was not read yet; `id` is the sender's, `bytes` its size as JSON in UTF-8. */
interface WaitingMessage {
  readonly id: string;
  readonly message: TranscriptMessage;
  readonly bytes: number;
}

/** What a run was started with, apart from the messages it began with. */
type StartTerms = Omit<StartInput, 'input' | 'history' | 'title'>;

/** Why a call failed for good: a failure type, and a text for people. */
export interface CallError {
  readonly type: string;
  readonly message: string;
}

/** The state of a run. */
export interface LoopState {
  readonly version: 1;
  readonly loopVersion: number;
  readonly runId: string;
  readonly firstTemporalRunId: string;
  /** Ordinal of the Temporal run within the run id, from 1. */
  readonly generation: number;
  readonly title: string;
  readonly start: StartTerms;
  /** The messages it was started with, until they are appended. */
  readonly opening?: Pick<StartInput, 'input' | 'history'>;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly agent?: AgentSpec;
  readonly maxIterations: number;
  readonly iteration: number;
  readonly phase: Phase;
  readonly transcript: Transcript;
  /** What was appended since the last model call: the input of the next one. */
  readonly unsent: {
    readonly append: readonly AppendEntry[];
    readonly received: readonly string[];
  };
  /** The last response's message until it is appended, and what it said of itself. */
  readonly lastResponse?: {
    readonly activityId: string;
    readonly message?: TranscriptMessage;
    readonly finishReason: FinishReason;
    /** Attempts made, the last included. */
    readonly attempts: number;
    readonly providerPause: boolean;
  };
  readonly pendingToolCalls: readonly PendingToolCall[];
  /** User messages that wait for the next boundary. */
  readonly inbox: readonly WaitingMessage[];
  /** User messages received so far. */
  readonly received: number;
  /** Ids of the last user messages received, oldest first, with the position each was given. */
  readonly seen: readonly { readonly id: string; readonly position: number }[];
  /** What was put right in the messages that the run was started with. */
  readonly repairs: readonly Repair[];
  /** Signals that were no message the run could take. */
  readonly refused: number;
  /** Text of the last assistant message; '' when there is none. */
  readonly output: string;
  readonly usage: UsageTotal;
  readonly modelCalls: number;
  /** Model calls started in this iteration: more than one after a fallback, or to finish. */
  readonly callsInIteration: number;
  /** Index in the agent's list of models: the one that is asked now. */
  readonly model: number;
  /** The last call that failed for good. */
  readonly lastError?: CallError;
  /** Tool calls that were started. */
  readonly toolCalls: number;
  /** Provider pauses in a row. */
  readonly pauses: number;
  /** Names of tools that the model is not offered now. */
  readonly hidden: readonly string[];
  readonly cancelRequested: boolean;
  /** A hook wants the run to stop. */
  readonly halt?: Stop;
  readonly stop?: Stop;
  readonly metadata: Readonly<Record<string, JsonValue>>;
}
