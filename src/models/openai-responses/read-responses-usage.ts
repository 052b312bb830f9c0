/** Reads the token counts of the Responses API. */
import { membersOf } from '../adapter/members-of.ts';
import type { UsageReading } from '../adapter/read-usage.ts';
import { readUsage } from '../adapter/read-usage.ts';

/** Input tokens include cached ones and output tokens include reasoning, as in the protocol. */
export function readResponsesUsage(wire: Readonly<Record<string, unknown>>): UsageReading {
  const input = membersOf(wire['input_tokens_details']);
  const output = membersOf(wire['output_tokens_details']);
  return readUsage({
    inputTokens: { name: 'input_tokens', value: wire['input_tokens'] },
    outputTokens: { name: 'output_tokens', value: wire['output_tokens'] },
    reasoningTokens: { name: 'reasoning_tokens', value: output?.['reasoning_tokens'] },
    cacheReadInputTokens: { name: 'cached_tokens', value: input?.['cached_tokens'] },
    cacheWriteInputTokens: { name: 'cache_write_tokens', value: input?.['cache_write_tokens'] },
  });
}
