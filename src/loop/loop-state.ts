/** LoopState: everything a run knows about itself, as plain JSON data. It is a fold over facts and nothing else. */

import type { FinishReason } from '../chat/finish-reason.ts';
import type { JsonValue } from '../chat/json.ts';
import type { Repair } from '../chat/repair.ts';
import type { ToolCall } from '../chat/tool-call.ts';
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import type { UsageTotal } from '../chat/usage.ts';
import type { AppendEntry } from './advance.ts';
import type { AgentSpec } from './agent-spec.ts';
import type { BudgetLimits } from './budget-limits.ts';
import type { ChildRun } from './children.ts';
import type { Compaction } from './compaction.ts';
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
  | {
      readonly status: 'proposed';
      readonly call: ToolCall;
      readonly index: number;
      /** The hooks before it were asked. */
      readonly asked?: true;
      /** One of them, or the tool's own predicate, wants a person to decide. */
      readonly ask?: { readonly question?: string };
      /** Somebody has allowed it. */
      readonly allowed?: true;
    }
  /** Somebody outside has to decide on it, or to answer it. */
  | {
      readonly status: 'awaiting';
      readonly call: ToolCall;
      readonly index: number;
      readonly wait: Wait;
    }
  | { readonly status: 'running'; readonly call: ToolCall; readonly index: number }
  | {
      readonly status: 'settled';
      readonly call: ToolCall;
      readonly index: number;
      readonly message: TranscriptMessage;
      /** True when the message is the Workflow's own and stands nowhere else in history. */
      readonly placeholder: boolean;
      /** Its result is what somebody outside answered. */
      readonly answered?: true;
      /** What hooks after the call changed; it takes effect in call order. */
      readonly changes?: readonly HookChanges[];
    };

/** What a call waits for. Times are Workflow time in milliseconds since the epoch. */
export type Wait =
  | {
      readonly kind: 'approval';
      readonly since: number;
      readonly deadline?: number;
      /** What counts as decided at the deadline; denied unless said otherwise. */
      readonly onTimeout?: 'allow' | 'deny';
      /** What the person is asked, in a hook's words. */
      readonly question?: string;
    }
  | { readonly kind: 'answer'; readonly since: number; readonly deadline?: number };

/** The messages of a run. `digest` chains the agent's hash, the seed, and the id of every message after it, in order. */
export interface Transcript {
  readonly count: number;
  readonly digest: string;
  /** The messages that it went on from, as they lie in the blob store: the first `count`. */
  readonly seed?: { readonly hash: string; readonly count: number };
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
  /** How soon it is to be read; absent: at the next boundary. */
  readonly mode?: 'steer' | 'interrupt';
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
  /** Where a fork comes from: the run, and how many of its messages it began with. */
  readonly forkedFrom?: { readonly runId: string; readonly messages: number };
  /** Messages that a fork inherited: the first so many of its transcript. */
  readonly seedLength?: number;
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
    /** A message cut it off; what had arrived is the message. */
    readonly interrupted?: true;
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
  /** What the model calls cost, in millionths of a dollar; absent while none had a price. */
  readonly costMicroUsd?: number;
  /** What calls are taken to have used whose provider did not say; kept for a run with such a limit. */
  readonly assumed?: { readonly tokens: number; readonly costMicroUsd: number };
  /** The last prompt that was counted: its tokens, and the messages that stood in it. */
  readonly lastPrompt?: {
    readonly tokens: number;
    readonly messages: number;
    /** Bytes of messages that joined since and are not in the state any more. */
    readonly carriedBytes?: number;
  };
  /** The run waits for more budget: since when, and until when at most. */
  readonly budgetWait?: { readonly since: number; readonly deadline: number };
  /** What was added to the limits. */
  readonly extension?: BudgetLimits;
  /** Sub-agents, in the order in which they were started. */
  readonly children?: readonly ChildRun[];
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
  /** What the model sees in place of the first messages. */
  readonly compaction?: Compaction;
  /** Compactions so far. */
  readonly compactions?: number;
  /** The iteration in which a compaction was tried last. */
  readonly compactedIn?: number;
  /** The run goes no further than the next boundary. */
  readonly paused?: { readonly at: number; readonly by?: string; readonly reason?: string };
  /** Workflow time of the message that cuts off the model call in flight. */
  readonly interruptedAt?: number;
  /** Names of tools whose calls need no approval any more. */
  readonly remembered?: readonly string[];
  /** A hook wants the run to stop. */
  readonly halt?: Stop;
  readonly stop?: Stop;
  readonly metadata: Readonly<Record<string, JsonValue>>;
}
