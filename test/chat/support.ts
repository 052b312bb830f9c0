/** What the chat tests share. */
import type { ChatError } from '../../src/chat/chat-error.ts';
import { isChatError } from '../../src/chat/chat-error.ts';
import { textPart } from '../../src/chat/create-part.ts';
import { validate } from '../../src/chat/validate.ts';

/** A lone surrogate: the only way for a JavaScript string not to be Unicode. */
export const lone = '\ud800';

/** The ChatError that a call throws; fails if it throws none. */
export function refusal(run: () => unknown): ChatError {
  try {
    run();
  } catch (error) {
    if (isChatError(error)) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

/** The place and the codes with which a schema refuses a value. */
export function refused(schema: Parameters<typeof validate>[0], value: unknown) {
  const { path, codes } = refusal(() => validate(schema, value));
  return { path, codes: codes.join(' ') };
}

/** Whether a schema accepts a value. */
export function accepts(schema: Parameters<typeof validate>[0], value: unknown): boolean {
  try {
    validate(schema, value);
    return true;
  } catch (error) {
    if (isChatError(error)) return false;
    throw error;
  }
}

/** A user message as plain data. */
export const hello = { role: 'user' as const, parts: [textPart('hello')] };
