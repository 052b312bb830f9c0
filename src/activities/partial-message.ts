/** What is kept of an answer that was cut off by a cancellation. */
import type { Message } from '../chat/message.ts';

/** The text so far; unfinished calls and unsigned reasoning are dropped. Without text there is no message. */
export function partialMessage(message: Message | undefined): Message | undefined {
  const parts = message?.parts.filter((part) => part.kind === 'text') ?? [];
  return parts.length === 0 ? undefined : { role: 'assistant', parts };
}
