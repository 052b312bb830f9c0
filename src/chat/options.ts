/** How a model is asked to answer. */
import * as z from 'zod/mini';
import { concept } from './concept.ts';
import { Extensions } from './extensions.ts';
import { OutputFormat } from './output-format.ts';
import { NonEmptyText, TrimmedText } from './text.ts';

// -0 is 0: a sign would survive in memory and be lost in JSON text.
const unsigned = z.overwrite<number>((value) => (value === 0 ? 0 : value));

function between(lowest: number, highest: number) {
  return z.number().check(z.gte(lowest), z.lte(highest), unsigned);
}

/**
 * Settings of a request; every absent one is the provider's default.
 *
 * `stop: []` means "no stop sequences" and differs from an absent list. `reasoningEffort` is in the
 * provider's own words. Contract: an adapter reports a setting it cannot express and never drops it.
 */
export const Options = concept(
  'invalid_options',
  z.strictObject({
    model: z.optional(TrimmedText),
    outputFormat: z.optional(OutputFormat),
    frequencyPenalty: z.optional(between(-2, 2)),
    maxOutputTokens: z.optional(z.int().check(z.positive())),
    presencePenalty: z.optional(between(-2, 2)),
    reasoningEffort: z.optional(TrimmedText),
    stop: z.optional(z.array(NonEmptyText)),
    temperature: z.optional(between(0, 2)),
    topK: z.optional(z.int().check(z.positive())),
    topP: z.optional(between(0, 1)),
    extensions: z.optional(Extensions),
  }),
);
export type Options = z.infer<typeof Options>;
