/** Reads token counts, and drops what cannot be true rather than losing the answer that came with them. */
import type { ReportEntry } from '../../chat/report.ts';
import type { Usage } from '../../chat/usage.ts';

/** One count as the provider sent it, under its own name. */
interface WireCount {
  readonly name: string;
  /** Null and undefined: not reported. */
  readonly value: unknown;
}

/** The protocol's counts in the provider's words; what the provider never reports is left out. */
export type WireCounts = { readonly [Name in keyof Usage]: WireCount };

/** Usage as the protocol knows it, absent when the counts themselves are unusable. */
export interface UsageReading {
  readonly usage?: Usage;
  readonly report: readonly ReportEntry[];
}

/**
 * Details that are missing stay absent, a reported 0 stays 0. Details that exceed their total (some
 * compatible servers count that way) are dropped and reported.
 */
export function readUsage(counts: WireCounts): UsageReading {
  const inputTokens = tokenCount(counts.inputTokens.value);
  const outputTokens = tokenCount(counts.outputTokens.value);
  if (
    inputTokens === undefined ||
    outputTokens === undefined ||
    !Number.isSafeInteger(inputTokens + outputTokens)
  ) {
    const names = `${counts.inputTokens.name} or ${counts.outputTokens.name}`;
    return { report: [dropped('metadata.usage', `${names} is no valid count`)] };
  }
  const report: ReportEntry[] = [];
  const breakdown = (name: keyof Usage, limit: number) => {
    const count = counts[name];
    if (count?.value == null) return {};
    const value = tokenCount(count.value);
    if (value !== undefined && value <= limit) return { [name]: value };
    report.push(dropped(`metadata.usage.${name}`, `${count.name} is no count of at most ${limit}`));
    return {};
  };
  const usage: Usage = {
    inputTokens,
    outputTokens,
    ...breakdown('reasoningTokens', outputTokens),
    ...breakdown('cacheReadInputTokens', inputTokens),
    ...breakdown('cacheWriteInputTokens', inputTokens),
  };
  return { usage, report };
}

function dropped(path: string, reason: string): ReportEntry {
  return { severity: 'omitted', path, reason };
}

function tokenCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
