/** User messages on their way into the transcript: received at any time, taken at a boundary. */
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import type { Fact } from './fact.ts';
import type { LoopState } from './loop-state.ts';
import { receivedMessageId } from './message-ids.ts';
import { push } from './push.ts';
import { utf8Length } from './utf8-length.ts';

/** Messages whose ids are remembered: one that is sent again later than this is another message. */
const seenLength = 1_000;

/** Whether a message of that id waits, or was received, as far back as ids are remembered. */
export function wasReceived({ seen, inbox }: LoopState, id: string): boolean {
  return seen.some((entry) => entry.id === id) || inbox.some((waiting) => waiting.id === id);
}

/** Whether a message waits for which running tools are called off. */
export function isInterrupted({ inbox }: LoopState): boolean {
  return inbox.some(({ mode }) => mode === 'interrupt');
}

/** Puts a message into the inbox; one that was received before changes nothing. */
export function receive(
  state: LoopState,
  fact: Extract<Fact, { type: 'message-received' }>,
): LoopState {
  const { id, mode } = fact;
  if (wasReceived(state, id)) return state;
  const position = state.received + 1;
  const message: TranscriptMessage = {
    ...fact.message,
    id: receivedMessageId(state.firstTemporalRunId, position, id),
    createdAt: new Date(fact.at).toISOString(),
  };
  const bytes = utf8Length(JSON.stringify(message));
  return {
    ...state,
    inbox: [...state.inbox, { id, message, bytes, ...(mode !== undefined && { mode }) }],
    ...(mode !== undefined && state.phase.kind === 'model' && { interruptedAt: fact.at }),
    received: position,
    seen: [...state.seen.slice(1 - seenLength), { id, position }],
  };
}

/** Moves messages from the inbox into the transcript. */
export function take(state: LoopState, received: readonly string[]): LoopState {
  if (received.length === 0) return state;
  const messages = received.map((id) => {
    const entry = state.inbox.find((waiting) => waiting.id === id);
    if (entry === undefined) throw new Error(`no message ${id} in the inbox`);
    return entry.message;
  });
  return {
    ...state,
    inbox: state.inbox.filter((waiting) => !received.includes(waiting.id)),
    transcript: messages.reduce(push, state.transcript),
    unsent: { ...state.unsent, received: [...state.unsent.received, ...received] },
  };
}
