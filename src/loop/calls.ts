/** The data that crosses between the Workflow and its model and tool Activities. Messages go by reference. */
import * as z from 'zod/mini';
import { FinishReason } from '../chat/finish-reason.ts';
import type { Options } from '../chat/options.ts';
import { ReportEntry } from '../chat/report.ts';
import { ToolCall } from '../chat/tool-call.ts';
import { IdentifiedMessage } from '../chat/transcript-message.ts';
import { Usage } from '../chat/usage.ts';
import { advanceShape } from './advance.ts';
import { Effect } from './agent-spec.ts';
import type { BudgetLimits } from './budget-limits.ts';
import { HookChanges, HookError, HookView } from './hook-changes.ts';
import { StoppedAt } from './stop.ts';
import { toolDefaults } from './tool-defaults.ts';
import { TranscriptRef } from './transcript-ref.ts';

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
  /** The limits that the run was started with. */
  readonly budget?: BudgetLimits;
  readonly argument?: unknown;
}

/** Input of the model Activity: the request is built from the transcript that the advance comes to. */
export const ModelCallInput = z.object({
  ...advanceShape,
  /** Index in the agent's list of models; absent: the first. */
  model: z.optional(z.int()),
  /** Names of tools that are not offered now. */
  hidden: z.optional(z.array(z.string())),
  /** What the agent's hooks around the call are told; absent when it has none. */
  view: z.optional(HookView),
  /** Id of the summary that is sent in place of the messages that it sums up. */
  compaction: z.optional(z.string()),
  /** Nothing is answered: the conversation is summed up, all but the share `keep`. */
  compact: z.optional(
    z.object({
      keep: z.number(),
      /** The iteration has ended. */
      boundary: z.optional(z.literal(true)),
    }),
  ),
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
  /** The message is a summary of all messages before index `from`. */
  compacted: z.optional(z.object({ from: z.int() })),
  /** What hooks changed around the call. */
  changes: z.optional(z.array(HookChanges)),
  /** A hook after the response failed: the response stands, and the run ends. */
  hookError: z.optional(HookError),
});
export type ModelCallResult = z.infer<typeof ModelCallResult>;

/** Input of the Activity that seals the transcript: at a boundary, once a stop is decided, or both. */
export const SealInput = z.object({
  ...advanceShape,
  /** What is sealed already: the first messages. */
  sealed: z.optional(TranscriptRef),
  /** The iteration has ended. */
  boundary: z.optional(z.literal(true)),
  stopped: z.optional(StoppedAt),
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
  /** What the agent's hooks after the call are told; absent when it has none. */
  view: z.optional(HookView),
  /** Where the call is run inside a Workflow task: the id it would have as an Activity. */
  activityId: z.optional(z.string()),
});
export type ToolRunInput = z.infer<typeof ToolRunInput>;

/**
 * What the tool Activity returns. `cancelled`: it had started, and nobody knows how far it came. `notStarted`: it
 * was called off while it waited for its turn.
 */
export const ToolRunResult = z.union([
  z.object({
    message: IdentifiedMessage,
    attempts: z.optional(z.array(Attempt)),
    /** What hooks after the call changed. */
    changes: z.optional(z.array(HookChanges)),
    /** A hook after the call failed: the result stands, and the run ends. */
    hookError: z.optional(HookError),
  }),
  z.object({ cancelled: z.literal(true) }),
  z.object({ notStarted: z.literal(true) }),
]);
export type ToolRunResult = z.infer<typeof ToolRunResult>;
