/** Compaction: what the model sees of a long conversation, when it no longer fits. The transcript itself keeps everything. */

import { userMessage } from '../chat/create-message.ts';
import type { Message } from '../chat/message.ts';
import { textOf } from '../chat/text-of.ts';
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import { nextPromptTokens } from './budget-reservation.ts';
import type { Fact } from './fact.ts';
import { modelFailureType } from './failure-types.ts';
import type { CallError, LoopState } from './loop-state.ts';
import { utf8Length } from './utf8-length.ts';

/** Stands for the first messages of a transcript where a model is asked. */
export interface Compaction {
  /** Index of the first message that is sent as it is. */
  readonly from: number;
  /** The summary of all before it. */
  readonly message: TranscriptMessage;
}

/** When an agent's conversations are compacted, and how much of them is kept as it is. */
export interface CompactionTerms {
  /** Share of the model's context at which it is done. */
  readonly at: number;
  /** Share of what is sent that is kept. */
  readonly keep: number;
}

/** Early enough for the answer and the tools of an iteration; late enough to be rare. */
export const defaultCompactionTerms: CompactionTerms = { at: 0.8, keep: 0.2 };

/** The agent's terms; undefined when it wants none. */
export function compactionTerms({ agent }: LoopState): CompactionTerms | undefined {
  const { compaction = defaultCompactionTerms } = agent ?? {};
  return compaction === false ? undefined : compaction;
}

/**
 * Whether the conversation is to be compacted before the next model call: its prompt, as far as the last one was
 * counted, comes near the context of the model that is asked. Once per iteration.
 */
export function isCompactionDue(state: LoopState): boolean {
  const { agent, model, compactedIn, iteration, lastPrompt } = state;
  const context = agent?.contextTokens?.[model];
  const terms = compactionTerms(state);
  if (
    terms === undefined ||
    lastPrompt === undefined ||
    context === undefined ||
    context === null
  ) {
    return false;
  }
  return compactedIn !== iteration && nextPromptTokens(state) >= context * terms.at;
}

/** Whether a call that failed so may succeed with a shorter conversation. Once per iteration. */
export function mayCompactFor(state: LoopState, { type }: CallError): boolean {
  if (compactionTerms(state) === undefined || state.compactedIn === state.iteration) return false;
  return type === modelFailureType('context_too_long');
}

/** The state after a compaction: with its summary, or as it was where nothing came of it. */
export function compact(
  state: LoopState,
  { at, result }: Extract<Fact, { type: 'compacted' }>,
): LoopState {
  const tried: LoopState = { ...state, compactedIn: state.iteration };
  const { compacted, message } = result ?? {};
  if (compacted === undefined || message === undefined) return tried;
  const { lastPrompt: _, ...rest } = tried;
  const summary = { ...summaryMessage(message), createdAt: new Date(at).toISOString() };
  return {
    ...rest,
    compaction: { from: compacted.from, message: summary },
    compactions: (state.compactions ?? 0) + 1,
  };
}

/** The model's summary as the user message that is sent in place of what it sums up. */
function summaryMessage(
  message: Omit<TranscriptMessage, 'createdAt'>,
): Omit<TranscriptMessage, 'createdAt'> {
  const { parts } = userMessage(`${summaryPreface}\n\n${textOf(message)}`);
  return { id: message.id, role: 'user', parts };
}

const summaryPreface = 'Summary of our conversation so far, which is no longer shown in full:';

/** What the model is asked for, as the last message of what it sums up. */
export const summaryInstruction =
  'Sum up this conversation so far, for yourself: your next answers will be based on the summary alone. Keep what was asked for, decisions and the reasons for them, what is done and what is still to do, names, numbers, paths, ids, and the results of tools that will matter again. Leave out what is settled and of no further use. Answer with the summary only.';

/**
 * Where a conversation is cut: index of the first message that is kept as it is, so that about `keep` of all bytes
 * follow it. Never between a message with calls and their results. Undefined when nothing can be folded.
 * @param first index from which on messages are sent now
 */
export function cutOf(
  messages: readonly Message[],
  first: number,
  keep: number,
): number | undefined {
  const sizes = messages.map((message) => utf8Length(JSON.stringify(message)));
  const all = sizes.slice(first).reduce((sum, size) => sum + size, 0);
  let kept = 0;
  let cut: number | undefined;
  for (let index = messages.length - 1; index > first; index -= 1) {
    kept += sizes[index] ?? 0;
    // Results stand behind their calls: a message that is none of them begins something new.
    if (messages[index]?.role === 'tool') continue;
    if (cut !== undefined && kept > all * keep) break;
    cut = index;
  }
  return cut;
}
