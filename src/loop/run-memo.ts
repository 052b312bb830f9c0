/** The small summary of a run that lists show: the Workflow's memo. Also the record of why a run stopped, because a cancelled Workflow records no result. */
import * as z from 'zod/mini';
import { Stop } from './stop.ts';
import { TranscriptRef } from './transcript-ref.ts';

/** What the memo holds of a run. */
export const RunMemo = z.object({
  version: z.literal(1),
  agent: z.string(),
  title: z.string(),
  status: z.string(),
  iterations: z.int(),
  usage: z.object({ inputTokens: z.int(), outputTokens: z.int() }),
  /** US dollars; absent while no call had a price. */
  costUsd: z.optional(z.number()),
  /** The share that is spent of the limit that is nearest; absent without limits. */
  budgetUse: z.optional(z.number()),
  modelCalls: z.int(),
  toolCalls: z.int(),
  /** Workflow time of these figures, milliseconds since the epoch. */
  asOf: z.int(),
  stop: z.optional(Stop),
  /** What an open run waits for, in words. */
  waitingFor: z.optional(z.string()),
  /** The last iteration has ended, and nothing else may tell of it while the run stands still. */
  boundary: z.optional(z.literal(true)),
  /** The whole transcript, once the run has ended and it could be written. */
  transcript: z.optional(TranscriptRef),
});
export type RunMemo = z.infer<typeof RunMemo>;
