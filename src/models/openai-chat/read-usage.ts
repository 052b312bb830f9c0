/** Reads token counts, and drops what cannot be true rather than losing the answer that came with them. */
import type { ReportEntry } from '../../chat/report.ts';
import type { Usage } from '../../chat/usage.ts';
import { membersOf } from './members-of.ts';
import type { WireUsage } from './wire-chunk.ts';

/** Usage as the protocol knows it, absent when the counts themselves are unusable. */
interface UsageReading {
  readonly usage?: Usage;
  readonly report: readonly ReportEntry[];
}

/**
 * Prompt tokens include cached ones and completion tokens include reasoning, as in the protocol. Details
 * that are missing stay absent, a reported 0 stays 0. Details that exceed their total (some compatible
 * servers count that way) are dropped and reported.
 */
export function readUsage(wire: WireUsage): UsageReading {
  const inputTokens = tokenCount(wire['prompt_tokens']);
  const outputTokens = tokenCount(wire['completion_tokens']);
  if (
    inputTokens === undefined ||
    outputTokens === undefined ||
    !Number.isSafeInteger(inputTokens + outputTokens)
  ) {
    return {
      report: [dropped('metadata.usage', 'prompt or completion tokens are no valid counts')],
    };
  }
  const report: ReportEntry[] = [];
  const breakdown = (name: keyof Usage, details: unknown, member: string, limit: number) => {
    const value = membersOf(details)?.[member];
    if (value === undefined || value === null) return {};
    const count = tokenCount(value);
    if (count !== undefined && count <= limit) return { [name]: count };
    report.push(dropped(`metadata.usage.${name}`, `${member} is no count of at most ${limit}`));
    return {};
  };
  const prompt = wire['prompt_tokens_details'];
  const usage: Usage = {
    inputTokens,
    outputTokens,
    ...breakdown(
      'reasoningTokens',
      wire['completion_tokens_details'],
      'reasoning_tokens',
      outputTokens,
    ),
    ...breakdown('cacheReadInputTokens', prompt, 'cached_tokens', inputTokens),
    ...breakdown('cacheWriteInputTokens', prompt, 'cache_write_tokens', inputTokens),
  };
  return { usage, report };
}

function dropped(path: string, reason: string): ReportEntry {
  return { severity: 'omitted', path, reason };
}

function tokenCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
