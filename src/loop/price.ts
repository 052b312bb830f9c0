/** What the tokens of a model cost, as a run records it of each of its models. */
import * as z from 'zod/mini';

/** US dollars per million tokens; a price may be 0. */
const rate = z.number().check(z.nonnegative());

/** The members of a rate: `cacheRead` and `cacheWrite` are those of `input` where absent. */
const rateShape = {
  input: rate,
  output: rate,
  cacheRead: z.optional(rate),
  cacheWrite: z.optional(rate),
};

/**
 * Prices of a model in US dollars per million tokens. `longPrompt`: the rates of a whole call whose prompt has
 * more than `above` tokens, where the provider takes others for it.
 */
export const Price = z.object({
  ...rateShape,
  longPrompt: z.optional(z.object({ above: z.int().check(z.positive()), ...rateShape })),
});
export type Price = z.infer<typeof Price>;
