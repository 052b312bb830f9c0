/** The data that crosses between the Workflow and its model and tool Activities. Messages go by reference. */
import * as z from 'zod/mini';
import { FinishReason } from '../chat/finish-reason.ts';
import type { Options } from '../chat/options.ts';
import { ReportEntry } from '../chat/report.ts';
import { ToolCall } from '../chat/tool-call.ts';
import { IdentifiedMessage, TranscriptMessage } from '../chat/transcript-message.ts';
import { Usage } from '../chat/usage.ts';
import { Effect } from './agent-spec.ts';
import { Stop } from './stop.ts';
import { toolDefaults } from './tool-defaults.ts';

/**
 * One message joining the transcript. A text is a reference to where it stands in history already: `input`
 * (the run's first messages) or the id of the Activity that returned it. What the Workflow made itself (a
 * placeholder) stands nowhere else and is written out.
 */
export const AppendEntry = z.union([z.string(), TranscriptMessage]);
export type AppendEntry = z.infer<typeof AppendEntry>;

/** One earlier attempt of an Activity, as the attempt itself announced it. */
export const Attempt = z.object({
  attempt: z.int(),
  /** Absent for an attempt that was killed before it could say so. */
  startedAt: z.optional(z.string()),
});
export type Attempt = z.infer<typeof Attempt>;

/**
 * Input of the Activity that resolves an agent. `argument`: the Workflow's whole argument, to be checked; given
 * where it does not enter history again.
 */
export interface ResolveAgentInput {
  readonly agent: string;
  readonly options?: Options;
  readonly argument?: unknown;
}

/**
 * What the Workflow decided since the last command that told it: what was appended, and the user messages (by
 * id) that were taken from the inbox; they follow `append`. `upTo` and `digest` say which transcript it comes to.
 */
const advance = {
  iteration: z.int(),
  upTo: z.int(),
  append: z.array(AppendEntry),
  received: z.optional(z.array(z.string())),
  digest: z.string(),
};
export const Advance = z.object(advance);
export type Advance = z.infer<typeof Advance>;

/** Input of the model Activity: the request is built from the transcript that the advance comes to. */
export const ModelCallInput = z.object({
  ...advance,
  /** Index in the agent's list of models; absent: the first. */
  model: z.optional(z.int()),
  /** The last call of `onMaxIterations: 'finish'`: no tools are offered. */
  finish: z.optional(z.literal(true)),
});
export type ModelCallInput = z.infer<typeof ModelCallInput>;

/** What the model Activity returns; the message is final. */
export const ModelCallResult = z.object({
  /** Absent when the model answered with nothing. */
  message: z.optional(IdentifiedMessage),
  finishReason: FinishReason,
  usage: z.optional(Usage),
  /** The model that answered, as its provider names it; absent when the agent's own name for it says so already. */
  model: z.optional(z.string()),
  /** Attempts before this one that had started; absent when the first succeeded. */
  attempts: z.optional(z.array(Attempt)),
  /** The run was cancelled meanwhile; the message holds the text that had arrived. */
  cancelled: z.optional(z.literal(true)),
  /** The provider paused its answer: the message is sent back unchanged to go on. */
  providerPause: z.optional(z.literal(true)),
  report: z.optional(z.array(ReportEntry)),
});
export type ModelCallResult = z.infer<typeof ModelCallResult>;

/** Input of the Activity that seals the transcript: at a boundary, once a stop is decided, or both. */
export const SealInput = z.object({
  ...advance,
  /** The iteration has ended. */
  boundary: z.optional(z.literal(true)),
  /** The stop that is decided, and when; Workflow time in milliseconds since the epoch. */
  stopped: z.optional(z.object({ at: z.int(), stop: Stop })),
});
export type SealInput = z.infer<typeof SealInput>;

/** Input of the tool Activity. What most tools share is left out of history: see `toolDefaults`. */
export const ToolRunInput = z.object({
  agent: z.string(),
  call: ToolCall,
  idempotencyKey: z.string(),
  effect: z._default(Effect, toolDefaults.effect),
  timeoutMs: z._default(z.int(), toolDefaults.timeoutMs),
  maxResultBytes: z._default(z.int(), toolDefaults.maxResultBytes),
});
export type ToolRunInput = z.infer<typeof ToolRunInput>;

/** What the tool Activity returns. `cancelled`: it had started, and nobody knows how far it came. */
export const ToolRunResult = z.union([
  z.object({ message: IdentifiedMessage, attempts: z.optional(z.array(Attempt)) }),
  z.object({ cancelled: z.literal(true) }),
]);
export type ToolRunResult = z.infer<typeof ToolRunResult>;
