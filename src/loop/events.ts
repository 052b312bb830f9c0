/** The events that watchers of a run see. Durable ones are read from history; live ones pass by once. */

import type { FinishReason } from '../chat/finish-reason.ts';
import type { JsonValue } from '../chat/json.ts';
import type { PartDelta } from '../chat/part-delta.ts';
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import type { UsageTotal } from '../chat/usage.ts';
import type { StopReason } from './stop.ts';

/** How a tool call ended: with its own result, with an error result, or with a placeholder. */
export type ToolEnd = 'finished' | 'error' | 'not-finished';

/** The table type → data of the durable events. */
export interface RunEventData {
  readonly 'run-start': { readonly agent: string; readonly title: string };
  readonly 'iteration-start': { readonly received: readonly string[] };
  readonly 'model-end': {
    readonly finishReason: FinishReason;
    /** Attempts made, the last included. */
    readonly attempts: number;
  };
  readonly message: { readonly message: TranscriptMessage };
  readonly 'tool-start': { readonly callId: string; readonly name: string };
  readonly 'tool-end': { readonly callId: string; readonly name: string; readonly status: ToolEnd };
  readonly 'iteration-end': Readonly<Record<never, never>>;
  readonly 'run-end': {
    /** The run's own reason, or how Temporal's tools closed it without one. */
    readonly stopReason: StopReason | 'terminated' | 'timed-out';
    readonly detail: string;
    readonly usage: UsageTotal;
  };
}

export type RunEventType = keyof RunEventData;

/** One durable event. `id` orders the events of a run and survives every restart. */
export type RunEvent = {
  [Type in RunEventType]: {
    readonly id: string;
    readonly runId: string;
    readonly iteration: number;
    readonly type: Type;
    /** Milliseconds since the epoch. */
    readonly at: number;
    readonly data: RunEventData[Type];
  };
}[RunEventType];

/** One live event. `seq` counts within the attempt, from 0; a new attempt starts the text again. */
export type LiveEvent = {
  readonly runId: string;
  readonly iteration: number;
  readonly attempt: number;
  readonly seq: number;
} & (
  | { readonly type: 'delta'; readonly parts: readonly PartDelta[] }
  | { readonly type: 'tool-progress'; readonly callId: string; readonly value: JsonValue }
);
