/** What a Signal `send` comes to, in the Workflow and in its projection alike. */
import { isInboxFull } from './decide.ts';
import type { Fact } from './fact.ts';
import { wasReceived } from './inbox.ts';
import type { LoopState } from './loop-state.ts';
import { isSendInput } from './read-input.ts';
import type { SendInput } from './run-input.ts';
import { toUserMessage } from './to-user-message.ts';

/**
 * The fact for the Signal's payload. A Signal has no id of its own: without one in the payload each is another
 * message, named after its position.
 * @param at Workflow time in milliseconds since the epoch
 */
export function receivedSignal(
  state: LoopState,
  payload: unknown,
  at: number,
): Extract<Fact, { type: 'message-received' | 'message-refused' }> {
  if (!isSendInput(payload)) return { type: 'message-refused' };
  const id = payload.id ?? freeId(state);
  if (!wasReceived(state, id) && isInboxFull(state)) return { type: 'message-refused' };
  return receivedFact(payload, id, at);
}

/** The fact that a message of that id is received. */
export function receivedFact(
  { message, mode = 'queue' }: SendInput,
  id: string,
  at: number,
): Extract<Fact, { type: 'message-received' }> {
  return {
    type: 'message-received',
    at,
    id,
    message: toUserMessage(message),
    ...(mode !== 'queue' && { mode }),
  };
}

/** An id that no sender has used: it would make another message look like this one. */
function freeId(state: LoopState): string {
  for (let n = state.received + 1; ; n += 1) {
    const id = `signal-${n}`;
    if (!wasReceived(state, id)) return id;
  }
}
