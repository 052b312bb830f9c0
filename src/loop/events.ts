/** The events that watchers of a run see. Durable ones are read from history; live ones pass by once. */

import type { FinishReason } from '../chat/finish-reason.ts';
import type { JsonValue } from '../chat/json.ts';
import type { Repair } from '../chat/repair.ts';
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import type { Usage, UsageTotal } from '../chat/usage.ts';
import type { BudgetLimits } from './budget-limits.ts';
import type { BudgetUse } from './budget-use.ts';
import type { CallError } from './loop-state.ts';
import type { RunEnd } from './run-status.ts';
import type { StopReason } from './stop.ts';

/** How a tool call ended: with its own result, with an error result, or with a placeholder. */
export type ToolEnd = 'finished' | 'error' | 'not-finished';

/** How a model call ended. `not-finished`: the run stopped before it was known. */
type ModelEnd =
  | {
      readonly status: 'finished';
      readonly finishReason: FinishReason;
      readonly usage?: Usage;
      /** Attempts made, the last included. */
      readonly attempts: number;
    }
  | { readonly status: 'failed'; readonly error: CallError }
  | { readonly status: 'not-finished' };

/** The table type → data of the durable events. Every start has its end. */
export interface DurableEventTable {
  readonly 'run-start': {
    readonly agent: string;
    readonly title: string;
    /** The run that it was forked from, and how many of its messages it began with. */
    readonly forkedFrom?: { readonly runId: string; readonly messages: number };
  };
  readonly 'iteration-start': Readonly<Record<never, never>>;
  readonly 'model-start': { readonly activityId: string; readonly model: string };
  /** An attempt of a call that did not come to its end; what it streamed is void. */
  readonly 'attempt-lost': {
    readonly activityId: string;
    readonly attempt: number;
    /** RFC 3339; absent for an attempt that was killed before it could say so. */
    readonly startedAt?: string;
  };
  readonly 'model-end': { readonly activityId: string } & ModelEnd;
  /** `index` counts the messages of the run from 0. */
  readonly message: { readonly index: number; readonly message: TranscriptMessage };
  readonly 'tool-start': { readonly callId: string; readonly name: string };
  readonly 'tool-end': { readonly callId: string; readonly name: string; readonly status: ToolEnd };
  /** The model sees a summary in place of the messages before index `from`; `folded` of them were seen until now. */
  readonly compaction: {
    readonly activityId: string;
    readonly from: number;
    readonly folded: number;
  };
  /** A call runs as the run `runId` of another agent. */
  readonly 'child-start': {
    readonly callId: string;
    readonly runId: string;
    readonly agent: string;
  };
  readonly 'child-end': {
    readonly callId: string;
    readonly runId: string;
    /** Absent for one that ended without a reason of its own. */
    readonly stopReason?: StopReason;
  };
  readonly 'iteration-end': Readonly<Record<never, never>>;
  /** The messages that the run was started with were put right. */
  readonly repair: { readonly repairs: readonly Repair[] };
  /** Most of a limit is spent; told once for each limit, and once more when it was extended. */
  readonly 'budget-warning': BudgetUse;
  /** A call waits for somebody's decision; `input` is what it would be run with. */
  readonly 'approval-request': {
    readonly callId: string;
    readonly name: string;
    readonly input: string;
    readonly question?: string;
    /** Milliseconds since the epoch. */
    readonly deadline?: number;
  };
  readonly 'approval-decision': {
    readonly callId: string;
    readonly name: string;
    /** `timeout`: nobody decided in time, and the default counts. */
    readonly decision: 'allow' | 'deny' | 'edit' | 'timeout' | 'interrupted';
    readonly input?: JsonValue;
    readonly reason?: string;
    readonly by?: string;
  };
  /** A call waits for somebody's answer; `input` is what it asks. */
  readonly question: {
    readonly callId: string;
    readonly name: string;
    readonly input: string;
    /** Milliseconds since the epoch. */
    readonly deadline?: number;
  };
  readonly answer: {
    readonly callId: string;
    readonly name: string;
    readonly status: 'answered' | 'timeout' | 'interrupted';
    readonly by?: string;
  };
  /** The run is at its budget and waits for more; milliseconds since the epoch. */
  readonly 'budget-wait': { readonly deadline: number };
  /** What was added to the limits of the budget. */
  readonly 'budget-extended': BudgetLimits;
  readonly paused: { readonly by?: string; readonly reason?: string };
  readonly resumed: { readonly by?: string; readonly reason?: string };
  /** A Signal held what the run cannot take. */
  readonly 'message-refused': Readonly<Record<never, never>>;
  /** The run goes on in the Temporal run `temporalRunId`. */
  readonly continued: { readonly generation: number; readonly temporalRunId: string };
  /** The run was taken back to the end of iteration `toIteration`, and goes on in the Temporal run `temporalRunId`. What was told of later iterations is void. */
  readonly rewound: {
    readonly generation: number;
    readonly temporalRunId: string;
    readonly how: 'rewound' | 'retried';
    readonly toIteration: number;
    /** Messages that were kept. */
    readonly messages: number;
  };
  /** Other runs go on from message `at` of this one (its index from 0, or its id). */
  readonly fork: { readonly runs: readonly string[]; readonly at: number | string };
  readonly error: CallError;
  readonly 'run-end': {
    readonly stopReason: RunEnd;
    readonly detail: string;
    readonly usage: UsageTotal;
    /** US dollars; absent while no call had a price. */
    readonly costUsd?: number;
    readonly finishReason?: FinishReason;
    readonly lastError?: CallError;
  };
  /** What a hook tells: its name, a point, and a type of its own. */
  readonly [extension: `${string}.${string}`]: JsonValue;
}

export type RunEventType = keyof DurableEventTable;

/**
 * One durable event. `id` is `<generation>.<last 6 of the Temporal run's id>.<event of its history>.<n>`: it
 * orders the events of a run, is the same however often they are read, and resumes a watcher.
 */
export type RunEvent = {
  [Type in RunEventType]: {
    readonly id: string;
    readonly runId: string;
    readonly iteration: number;
    readonly type: Type;
    /** Milliseconds since the epoch. */
    readonly at: number;
    readonly data: DurableEventTable[Type];
  };
}[RunEventType];

/** The table type → data of the live events. */
export interface LiveEventTable {
  readonly 'text-delta': { readonly text: string };
  readonly 'reasoning-delta': { readonly text: string };
  readonly 'refusal-delta': { readonly text: string };
  readonly 'tool-call-delta': {
    readonly callId: string;
    readonly name: string;
    readonly argumentsDelta: string;
  };
  readonly 'tool-progress': { readonly callId: string; readonly value: JsonValue };
  /** The attempt failed and another one follows. */
  readonly 'model-retry': { readonly error: CallError };
  /** The answer comes in one piece: the model, or something around it, cannot stream. */
  readonly 'stream-fallback': { readonly model: string };
  /** What a tool tells of itself: its name, a point, and a type of its own. */
  readonly [extension: `${string}.${string}`]: {
    readonly callId: string;
    readonly value: JsonValue;
  };
}

export type LiveEventType = keyof LiveEventTable;

/** One live event. `seq` counts within the attempt, from 0; a new attempt starts the text again. */
export type LiveEvent = {
  [Type in LiveEventType]: {
    readonly runId: string;
    readonly iteration: number;
    readonly attempt: number;
    readonly seq: number;
    readonly type: Type;
    readonly data: LiveEventTable[Type];
  };
}[LiveEventType];
