/** From what a user says to the message that it is. */
import type { Message } from '../chat/message.ts';
import type { UserInput } from './run-input.ts';

/** The user message that an input stands for. */
export function toUserMessage(input: UserInput): Message {
  return typeof input === 'string'
    ? { role: 'user', parts: [{ kind: 'text', text: input }] }
    : input;
}
