/** What the Queries answer: small pages of LoopState. A Query's answer may be stored for good by external storage, so none exceeds 48 KB. */
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import type { UsageTotal } from '../chat/usage.ts';
import type { Spending } from './budget-use.ts';
import { spendingOf } from './budget-use.ts';
import { totalUsage } from './children.ts';
import { cutText } from './cut-text.ts';
import type { LoopState, Phase, Wait } from './loop-state.ts';
import { statusOf } from './run-status.ts';
import type { Stop } from './stop.ts';
import { utf8Length } from './utf8-length.ts';

/** Largest answer of a Query, in UTF-8 bytes of its JSON text. */
const maxAnswer = 48 * 1024;
/** Largest message in a page: two fit; the whole message is in the history. */
const maxMessage = 24 * 1024;
/** Kept free for what surrounds the messages of a page, and for the stand-in of a large message. */
const surroundings = 1024;
const standIn = 400;
/** Entries of a list in the state view: a hundred ids of two hundred characters are 20 KB, of three bytes 60. */
const maxInbox = 25;
const maxPending = 100;
/** Longest input of a waiting call, in UTF-16 code units: a hundred of three bytes each are 30 KB. */
const maxInput = 100;
/** Longest name in a list. */
const maxName = 64;

/** Answer of the Query `state`. */
export interface StateView extends Spending {
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
  /** What it waits for, with the input that a person decides on or answers. */
  readonly wait?: Wait & { readonly input: string };
}

/** Answer of the Query `messages`: `next` is the `since` of the following page. */
export interface MessagesPage {
  readonly total: number;
  /** Index of the first message that the Workflow still holds; those before it lie in the blob store. */
  readonly from: number;
  readonly messages: readonly (TranscriptMessage | CutMessage)[];
  readonly next?: number;
}

/** Stands for a message too large for a page. */
interface CutMessage {
  readonly id: string;
  readonly role: string;
  readonly cut: { readonly bytes: number };
}

/** Where a run is, in counts and ids. */
export function stateView(state: LoopState): StateView {
  return {
    runId: state.runId,
    agent: state.start.agent,
    title: state.title,
    status: statusOf(state),
    phase: state.phase,
    iteration: state.iteration,
    maxIterations: state.maxIterations,
    messages: state.transcript.count,
    inbox: state.inbox.slice(0, maxInbox).map((waiting) => waiting.id),
    pending: pendingView(state),
    usage: totalUsage(state),
    ...spendingOf(state, state.endedAt),
    startedAt: state.startedAt,
    ...(state.endedAt !== undefined && { endedAt: state.endedAt }),
    ...(state.stop !== undefined && { stop: state.stop }),
  };
}

/** The calls that are on their way, the first hundred. */
export function pendingView(state: LoopState): readonly PendingView[] {
  return state.pendingToolCalls.slice(0, maxPending).map((pending) => ({
    callId: pending.call.id,
    name: cutText(pending.call.name, maxName),
    status: pending.status,
    ...(pending.status === 'awaiting' && {
      wait: { ...pending.wait, input: cutText(pending.call.arguments ?? '', maxInput) },
    }),
  }));
}

/**
 * Messages from index `since` on, at most `limit`, as many as fit, of those that the Workflow still holds.
 * @param since index of the first message, from 0
 */
export function messagesPage(state: LoopState, since = 0, limit = 50): MessagesPage {
  const { count: total, tail } = state.transcript;
  const from = total - tail.length;
  const messages: (TranscriptMessage | CutMessage)[] = [];
  let size = 0;
  let index = Math.max(from, since);
  for (; index < total && messages.length < limit; index += 1) {
    const message = tail[index - from];
    if (message === undefined) break;
    const bytes = utf8Length(JSON.stringify(message));
    const isLarge = bytes > maxMessage;
    const shownBytes = isLarge ? standIn : bytes;
    if (size + shownBytes > maxAnswer - surroundings) break;
    size += shownBytes;
    const { id, role } = message;
    const shown = isLarge ? { id: cutText(id, maxName), role, cut: { bytes } } : message;
    messages.push(shown);
  }
  return { total, from, messages, ...(index < total && { next: index }) };
}
