/** Reads the token counts of Chat Completions. */
import { membersOf } from '../adapter/members-of.ts';
import type { UsageReading } from '../adapter/read-usage.ts';
import { readUsage } from '../adapter/read-usage.ts';
import type { WireUsage } from './wire-chunk.ts';

/** Prompt tokens include cached ones and completion tokens include reasoning, as in the protocol. */
export function readChatUsage(wire: WireUsage): UsageReading {
  const prompt = membersOf(wire['prompt_tokens_details']);
  const completion = membersOf(wire['completion_tokens_details']);
  return readUsage({
    inputTokens: { name: 'prompt_tokens', value: wire['prompt_tokens'] },
    outputTokens: { name: 'completion_tokens', value: wire['completion_tokens'] },
    reasoningTokens: { name: 'reasoning_tokens', value: completion?.['reasoning_tokens'] },
    cacheReadInputTokens: { name: 'cached_tokens', value: prompt?.['cached_tokens'] },
    cacheWriteInputTokens: { name: 'cache_write_tokens', value: prompt?.['cache_write_tokens'] },
  });
}
