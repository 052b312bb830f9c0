/** Sums of token usage. */
import type { Usage, UsageTotal } from './usage.ts';

/** The usage of no calls. */
export const noUsage: Readonly<UsageTotal> = Object.freeze({
  inputTokens: 0,
  outputTokens: 0,
  unreported: 0,
});

/**
 * The total with one more call. A breakdown is the sum of those reported and absent only if none was; a
 * call without usage is counted in `unreported`. Given another total, its unreported calls add up too.
 */
export function addUsage(
  total: Readonly<UsageTotal>,
  usage: Readonly<Usage | UsageTotal> | undefined,
): UsageTotal {
  if (usage === undefined) return { ...total, unreported: total.unreported + 1 };
  const sum: UsageTotal = {
    inputTokens: total.inputTokens + usage.inputTokens,
    outputTokens: total.outputTokens + usage.outputTokens,
    unreported: total.unreported + ('unreported' in usage ? usage.unreported : 0),
  };
  for (const name of [
    'reasoningTokens',
    'cacheReadInputTokens',
    'cacheWriteInputTokens',
  ] as const) {
    const before = total[name];
    const more = usage[name];
    if (before !== undefined || more !== undefined) sum[name] = (before ?? 0) + (more ?? 0);
  }
  return sum;
}

/** All tokens of a usage: breakdowns are parts of the two sums and are not counted again. */
export function totalTokens(usage: Readonly<Usage>): number {
  return usage.inputTokens + usage.outputTokens;
}
