/** What hooks did, as data: it stands in history, and nothing else of a hook does. */
import * as z from 'zod/mini';
import { JsonValue } from '../chat/json.ts';
import { ToolCall } from '../chat/tool-call.ts';
import { IdentifiedMessage } from '../chat/transcript-message.ts';
import { UsageTotal } from '../chat/usage.ts';
import { Advance, advanceShape } from './advance.ts';
import { HookMoment } from './hook-moment.ts';
import { StoppedAt } from './stop.ts';

/** What a hook says about a call before it is run. `skip`: the model sees `text`; `abort`: the run stops; `ask`: a person decides. */
export const Action = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('proceed') }),
  z.object({ kind: z.literal('skip'), text: z.optional(z.string()) }),
  z.object({ kind: z.literal('abort'), detail: z.optional(z.string()) }),
  z.object({ kind: z.literal('ask'), question: z.optional(z.string()) }),
]);
export type Action = z.infer<typeof Action>;

/** A wish to stop the run at once. */
const HookStop = z.object({
  reason: z.enum(['aborted', 'completed']),
  detail: z.optional(z.string()),
});

/** What one hook changed. Which members may be there depends on the moment. */
export const HookChanges = z.object({
  hook: z.string(),
  messages: z.optional(z.array(IdentifiedMessage)),
  /** Added to the agent's own. */
  instructions: z.optional(z.array(z.string())),
  /** Names of tools that the model is offered from now on, or no longer. */
  tools: z.optional(
    z.object({ show: z.optional(z.array(z.string())), hide: z.optional(z.array(z.string())) }),
  ),
  /** Merged key by key; null deletes. */
  metadata: z.optional(z.record(z.string(), JsonValue)),
  events: z.optional(z.array(z.object({ type: z.string(), data: JsonValue }))),
  stop: z.optional(HookStop),
  /** An observer failed, or a hook at the end: the run goes on. */
  error: z.optional(z.string()),
});
export type HookChanges = z.infer<typeof HookChanges>;

/** A hook that failed, where its failure cannot be the call's. */
export const HookError = z.object({ hook: z.string(), moment: HookMoment, message: z.string() });
export type HookError = z.infer<typeof HookError>;

/** What a hook is told of the run besides its messages. */
export const HookView = z.object({
  usage: UsageTotal,
  metadata: z.record(z.string(), JsonValue),
  /** Names of the hooks that are asked: a Worker that lacks one must not go on without it. */
  hooks: z.array(z.string()),
});
export type HookView = z.infer<typeof HookView>;

/** Input of the Activity that asks the hooks of one moment. */
export const HookInput = z.object({
  ...advanceShape,
  agent: z.string(),
  moment: HookMoment,
  view: HookView,
  /** onToolStart: the calls that are about to be run; onToolEnd: those that were answered without being run. */
  calls: z.optional(z.array(ToolCall)),
  /** onToolEnd: the answers, in the order of `calls`. */
  results: z.optional(z.array(IdentifiedMessage)),
  /** onEnd: the iteration had ended. */
  boundary: z.optional(z.literal(true)),
  /** onEnd: the stop that is decided. */
  stopped: z.optional(StoppedAt),
});
export type HookInput = z.infer<typeof HookInput>;

/** What the hooks of one moment came to. */
export const HookResult = z.object({
  moment: HookMoment,
  /** Hooks asked inside a Workflow task: what the question told, because history keeps only the answer. */
  advance: z.optional(Advance),
  changes: z.array(HookChanges),
  /** onToolStart: what is done with each call that is not simply run. */
  actions: z.optional(z.array(z.object({ callId: z.string(), action: Action }))),
  /** onToolStart: calls whose input does not fit the tool, with what the model is told. */
  invalid: z.optional(z.array(z.object({ callId: z.string(), problem: z.string() }))),
  /** onToolEnd: answers that a hook rewrote. */
  results: z.optional(z.array(z.object({ callId: z.string(), message: IdentifiedMessage }))),
});
export type HookResult = z.infer<typeof HookResult>;
