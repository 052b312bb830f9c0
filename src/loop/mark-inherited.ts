/** Tells the messages of a fork that are its own from those that it began with. */
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import type { LoopState } from './loop-state.ts';

/**
 * The messages with those that a fork inherited marked as such.
 * @param first index of the first of them in the transcript
 */
export function markInherited(
  messages: readonly TranscriptMessage[],
  { seedLength = 0 }: Pick<LoopState, 'seedLength'>,
  first: number,
): readonly TranscriptMessage[] {
  if (first >= seedLength) return messages;
  return messages.map((message, index) =>
    first + index < seedLength ? { ...message, inherited: true } : message,
  );
}
