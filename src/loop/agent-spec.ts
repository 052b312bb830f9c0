/** What a run knows of its agent: plain data, resolved once when the run starts and recorded in its history. */
import * as z from 'zod/mini';
import { Options } from '../chat/options.ts';
import { ToolChoice } from '../chat/tool-choice.ts';
import { ToolDefinition } from '../chat/tool-definition.ts';
import { BudgetLimits, OnLimit } from './budget-limits.ts';
import { HookMoment } from './hook-moment.ts';
import { Price } from './price.ts';

/**
 * What running a tool does to the world, which decides whether a lost attempt may be repeated.
 * `none`: reads only. `idempotent`: repeating changes nothing more. `keyed`: the receiver deduplicates by
 * idempotency key. `once`: one attempt; if it is lost, its outcome is unknown.
 */
export const Effect = z.enum(['none', 'idempotent', 'keyed', 'once']);
export type Effect = z.infer<typeof Effect>;

/** A tool as the run knows it; the code behind it is looked up by name when it is called. */
export const ToolSpec = z.object({
  definition: ToolDefinition,
  effect: Effect,
  /** Time for one attempt. */
  timeoutMs: z.int().check(z.positive()),
  /** Attempts after infrastructure loss or a RetryableError; 1 for `once`. */
  maxAttempts: z.int().check(z.positive()),
  /** UTF-8 bytes of result text that the model sees at most. */
  maxResultBytes: z.int().check(z.positive()),
  /** Run inside the Workflow task first, without a round trip through the server. */
  local: z.optional(z.literal(true)),
  /** Calls need a person's approval: all of them, or those for which the tool's predicate says so. */
  approve: z.optional(
    z.object({
      when: z.enum(['always', 'predicate']),
      /** How long a decision is waited for; for ever when absent. */
      timeoutMs: z.optional(z.int().check(z.positive())),
      /** What counts as decided then; denied when absent. */
      onTimeout: z.optional(z.enum(['allow', 'deny'])),
    }),
  ),
  /** Calls are not run: somebody outside answers them. */
  external: z.optional(
    z.object({
      /** How long an answer is waited for; for ever when absent. */
      timeoutMs: z.optional(z.int().check(z.positive())),
    }),
  ),
  /** Calls are runs of their own: of that agent, with the messages so far or without. */
  subAgent: z.optional(z.object({ agent: z.string(), context: z.enum(['fresh', 'forked']) })),
  /** How long a call may wait for its turn before it is run; absent for a tool without a gate. */
  maxWaitMs: z.optional(z.int().check(z.positive())),
});
export type ToolSpec = z.infer<typeof ToolSpec>;

/** A hook as the run knows it: its name, and when it is asked. */
export const HookSpec = z.object({
  name: z.string(),
  moments: z.readonly(z.array(HookMoment)),
  /** Time for one answer. */
  timeoutMs: z.int().check(z.positive()),
  /** Asked inside the Workflow task, without a round trip through the server. */
  local: z.optional(z.literal(true)),
});
export type HookSpec = z.infer<typeof HookSpec>;

/** A resolved agent. `hash` covers every other member; tools are sorted by code unit of their name. */
export const AgentSpec = z.object({
  version: z.literal(1),
  name: z.string(),
  /** Names of models with their provider's prefix, such as `openai:gpt-5.5`; each is asked when the one before it failed for good. */
  models: z.readonly(z.array(z.string()).check(z.minLength(1))),
  instructions: z.string(),
  tools: z.readonly(z.array(ToolSpec)),
  options: Options,
  /** In the order of registration; absent without hooks. */
  hooks: z.optional(z.readonly(z.array(HookSpec))),
  /** Names of the tools that hooks bring in: hidden until one shows them. */
  hiddenTools: z.optional(z.readonly(z.array(z.string()))),
  toolChoice: z.optional(ToolChoice),
  maxIterations: z.int().check(z.positive()),
  onMaxIterations: z.enum(['stop', 'finish']),
  serialTools: z.boolean(),
  continueOnLength: z.boolean(),
  /** Limits of the run and its children; the run stops with `budget` before it crosses one. */
  budget: z.optional(BudgetLimits),
  /** At a limit the run waits for more; absent: it stops. */
  onLimit: z.optional(OnLimit),
  /** How deep sub-agents may start sub-agents; 1 when absent. */
  maxDepth: z.optional(z.int().check(z.nonnegative())),
  /** What each of the models costs, null where nobody said; absent when none has a price. */
  prices: z.optional(z.readonly(z.array(z.nullable(Price)))),
  /** Tokens that each of the models takes at most, prompt and answer together; as `prices`. */
  contextTokens: z.optional(z.readonly(z.array(z.nullable(z.int().check(z.positive()))))),
  /** Messages after a tool result, before the model sees it shortened; never when absent. */
  oldResultsAfter: z.optional(z.int().check(z.positive())),
  /** When long conversations are compacted, and how much of them is kept; `false`: never; absent: at the defaults. */
  compaction: z.optional(
    z.union([z.literal(false), z.object({ at: z.number(), keep: z.number() })]),
  ),
  /** A call whose Worker has been silent for this long is given to another Worker. */
  heartbeatTimeoutMs: z.int().check(z.positive()),
  hash: z.string(),
});
export type AgentSpec = z.infer<typeof AgentSpec>;
