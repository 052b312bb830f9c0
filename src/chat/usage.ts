/** Tokens that a model call took. */
import * as z from 'zod/mini';
import { concept } from './concept.ts';

const count = z.int().check(z.nonnegative());

const usageShape = {
  inputTokens: count,
  outputTokens: count,
  reasoningTokens: z.optional(count),
  cacheReadInputTokens: z.optional(count),
  cacheWriteInputTokens: z.optional(count),
};

const partsWithinWhole = z.check<z.infer<z.ZodMiniObject<typeof usageShape>>>((payload) => {
  const usage = payload.value;
  const problem = usageProblem(usage);
  if (problem !== undefined) {
    payload.issues.push({ code: 'custom', input: usage, path: [problem[0]], message: problem[1] });
  }
});

/**
 * Tokens of one call. `inputTokens` includes cache reads and writes, `outputTokens` includes reasoning; an
 * absent breakdown was not reported, 0 was reported as none.
 */
export const Usage = concept('invalid_usage', z.strictObject(usageShape).check(partsWithinWhole));
export type Usage = z.infer<typeof Usage>;

/** Tokens of several calls; `unreported` counts the calls whose provider did not say. */
export const UsageTotal = concept(
  'invalid_usage',
  z.strictObject({ ...usageShape, unreported: count }).check(partsWithinWhole),
);
export type UsageTotal = z.infer<typeof UsageTotal>;

function usageProblem(usage: Usage): [keyof Usage, string] | undefined {
  const { inputTokens, outputTokens, reasoningTokens = 0 } = usage;
  if (!Number.isSafeInteger(inputTokens + outputTokens)) {
    return ['outputTokens', 'plus inputTokens is more than can be counted'];
  }
  if (reasoningTokens > outputTokens) return ['reasoningTokens', 'must be at most outputTokens'];
  for (const name of ['cacheReadInputTokens', 'cacheWriteInputTokens'] as const) {
    if ((usage[name] ?? 0) > inputTokens) return [name, 'must be at most inputTokens'];
  }
  return undefined;
}
