/** What is kept of an answer that was cut off by a cancellation. */
import type { Message } from '../chat/message.ts';

/** The text so far, with signed reasoning; unfinished calls and unsigned reasoning are dropped. Without text there is no message. */
export function partialMessage(message: Message | undefined): Message | undefined {
  const parts =
    message?.parts.filter(
      (part) =>
        part.kind === 'text' || (part.kind === 'reasoning' && part.reasoningState !== undefined),
    ) ?? [];
  return parts.some((part) => part.kind === 'text') ? { role: 'assistant', parts } : undefined;
}
