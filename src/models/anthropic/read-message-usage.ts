/** Reads the token counts of the Messages API. */

import { membersOf } from '../adapter/members-of.ts';
import type { UsageReading } from '../adapter/read-usage.ts';
import { readUsage } from '../adapter/read-usage.ts';
import type { WireUsage } from './wire-event.ts';

/** The API counts input read from and written to the cache apart; in the protocol both are part of the input. */
export function readMessageUsage(wire: WireUsage): UsageReading {
  const uncached = wire['input_tokens'];
  const read = wire['cache_read_input_tokens'];
  const written = wire['cache_creation_input_tokens'];
  return readUsage({
    inputTokens: {
      name: 'input_tokens',
      value: typeof uncached === 'number' ? uncached + count(read) + count(written) : undefined,
    },
    outputTokens: { name: 'output_tokens', value: wire['output_tokens'] },
    reasoningTokens: {
      name: 'thinking_tokens',
      value: membersOf(wire['output_tokens_details'])?.['thinking_tokens'],
    },
    cacheReadInputTokens: { name: 'cache_read_input_tokens', value: read },
    cacheWriteInputTokens: { name: 'cache_creation_input_tokens', value: written },
  });
}

/** Counts are cumulative; null and absent ones say nothing, so that what was said before stands. */
export function mergeUsage(
  older: WireUsage | undefined,
  newer: WireUsage | null | undefined,
): WireUsage | undefined {
  if (newer == null) return older;
  const said = Object.entries(newer).filter(([, value]) => value != null);
  return { ...older, ...Object.fromEntries(said) };
}

function count(value: unknown): number {
  return typeof value === 'number' && value > 0 ? value : 0;
}
