/** From a stored message to what is said to a model. */
import type { Message } from './message.ts';
import type { TranscriptMessage } from './transcript-message.ts';

// One stored message always gives the same object, so that a request is validated message by message
// only once (see `assertRequest`).
const messages = new WeakMap<TranscriptMessage, Message>();

/** The message without what only the transcript knows; the same object for the same stored message. */
export function toMessage(stored: TranscriptMessage): Message {
  const known = messages.get(stored);
  if (known !== undefined) return known;
  const { role, parts, metadata } = stored;
  const message: Message = metadata === undefined ? { role, parts } : { role, parts, metadata };
  messages.set(stored, message);
  return message;
}
