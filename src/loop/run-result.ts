/** What a run comes to. */
import * as z from 'zod/mini';
import { FinishReason } from '../chat/finish-reason.ts';
import type { Repair } from '../chat/repair.ts';
import { UsageTotal } from '../chat/usage.ts';
import type { BudgetUse } from './budget-use.ts';
import { StopReason } from './stop.ts';
import { TranscriptRef } from './transcript-ref.ts';

export const RunResult = z.object({
  version: z.literal(1),
  /** The Temporal run that ended: with the run's id it names where another run can go on from. */
  temporalRunId: z.optional(z.string()),
  /** Text of the last assistant message; '' when there is none. */
  output: z.string(),
  stopReason: StopReason,
  finishReason: z.optional(FinishReason),
  /** One plain sentence: why it ended, and what stayed open. */
  ended: z.string(),
  usage: UsageTotal,
  /** What the run and its children cost in US dollars, at the prices recorded when it started; absent while no call had a price. */
  costUsd: z.optional(z.number()),
  /** What is spent of each limit; absent without limits. */
  budget: z.optional(z.readonly(z.array(z.custom<BudgetUse>()))),
  iterations: z.int(),
  /** What was put right in the messages that the run was started with. */
  repairs: z.optional(z.array(z.custom<Repair>())),
  /** The whole transcript in the blob store; absent when it could not be written there. */
  transcript: z.optional(TranscriptRef),
  /** Tool calls that were started. */
  toolCalls: z.optional(z.int()),
  /** The sub-agents of the run. */
  children: z.optional(
    z.array(z.object({ runId: z.string(), agent: z.string(), stopReason: z.optional(StopReason) })),
  ),
  /** Ids of the user messages that came too late to be read. */
  undelivered: z.array(z.string()),
});
export type RunResult = z.infer<typeof RunResult>;
