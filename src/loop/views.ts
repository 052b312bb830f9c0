/** What the Queries answer: small pages of LoopState. A Query's answer may be stored for good by external storage, so none exceeds 48 KB. */
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import type { UsageTotal } from '../chat/usage.ts';
import type { LoopState, Phase } from './loop-state.ts';
import type { Stop } from './stop.ts';
import { statusOf, titleOf } from './to-run-memo.ts';

/** Largest answer of a Query, in UTF-16 code units of its JSON text. */
const maxAnswer = 48 * 1024;
/** Longest text of one message in a page; the whole message is in the history. */
const maxMessage = 24 * 1024;

/** Answer of the Query `state`. */
export interface StateView {
  readonly runId: string;
  readonly agent: string;
  readonly title: string;
  readonly status: string;
  readonly phase: Phase;
  readonly iteration: number;
  readonly maxIterations: number;
  readonly messages: number;
  readonly inbox: readonly string[];
  readonly pending: readonly PendingView[];
  readonly usage: UsageTotal;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly stop?: Stop;
}

/** One entry of the answer of the Query `pending`. */
export interface PendingView {
  readonly callId: string;
  readonly name: string;
  readonly status: string;
}

/** Answer of the Query `messages`: `next` is the `since` of the following page. */
export interface MessagesPage {
  readonly total: number;
  readonly messages: readonly (TranscriptMessage | CutMessage)[];
  readonly next?: number;
}

/** Stands for a message too large for a page. */
interface CutMessage {
  readonly id: string;
  readonly role: string;
  readonly cut: { readonly characters: number };
}

export function stateView(state: LoopState): StateView {
  return {
    runId: state.runId,
    agent: state.start.agent,
    title: titleOf(state.start),
    status: statusOf(state),
    phase: state.phase,
    iteration: state.iteration,
    maxIterations: state.maxIterations,
    messages: state.transcript.count,
    inbox: state.inbox.slice(0, 100).map((waiting) => waiting.id),
    pending: pendingView(state),
    usage: state.usage,
    startedAt: state.startedAt,
    ...(state.endedAt !== undefined && { endedAt: state.endedAt }),
    ...(state.stop !== undefined && { stop: state.stop }),
  };
}

export function pendingView(state: LoopState): readonly PendingView[] {
  return state.pendingToolCalls.slice(0, 200).map((pending) => ({
    callId: pending.call.id,
    name: pending.call.name.slice(0, 100),
    status: pending.status,
  }));
}

/**
 * Messages from index `since` on, at most `limit`, as many as fit.
 * @param since index of the first message, from 0
 */
export function messagesPage(state: LoopState, since = 0, limit = 50): MessagesPage {
  const messages: (TranscriptMessage | CutMessage)[] = [];
  let size = 0;
  let index = Math.max(0, since);
  for (; index < state.transcript.count && messages.length < limit; index += 1) {
    const message = state.transcript.tail[index];
    if (message === undefined) break;
    const characters = JSON.stringify(message).length;
    const shown =
      characters > maxMessage
        ? { id: message.id, role: message.role, cut: { characters } }
        : message;
    const shownSize = characters > maxMessage ? 200 : characters;
    if (size + shownSize > maxAnswer - 1024) break;
    size += shownSize;
    messages.push(shown);
  }
  const total = state.transcript.count;
  return { total, messages, ...(index < total && { next: index }) };
}
