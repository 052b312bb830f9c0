/** The limits of a run, as data. Each is absent where there is none. */
import * as z from 'zod/mini';

const count = z.int().check(z.positive());

const limitsShape = {
  /** Iterations of the run and of its children. */
  iterations: z.optional(count),
  /** Input and output tokens of all model calls. */
  tokens: z.optional(count),
  /** US dollars. */
  usd: z.optional(z.number().check(z.positive())),
  /** Time since the run was started, waits included. */
  wallTimeMs: z.optional(count),
  /** Tool calls that are started. */
  toolCalls: z.optional(count),
  /** Child runs that are started. */
  children: z.optional(count),
};

/** Limits as a run records them. */
export const BudgetLimits = z.object(limitsShape);
export type BudgetLimits = z.infer<typeof BudgetLimits>;

/** Limits as others give them: a member that is none is refused, because it would limit nothing. */
export const GivenLimits = z.strictObject(limitsShape);

/** What happens at a limit: without it the run stops, with it the run waits so long for more. */
export const OnLimit = z.object({ waitForMs: count });
export type OnLimit = z.infer<typeof OnLimit>;
