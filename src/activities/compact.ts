/** Sums up the first part of a conversation, inside the model Activity. */

import { userMessage } from '../chat/create-message.ts';
import type { LanguageModel } from '../chat/language-model.ts';
import type { Message } from '../chat/message.ts';
import type { Request } from '../chat/request.ts';
import { textOf } from '../chat/text-of.ts';
import { toMessage } from '../chat/to-message.ts';
import type { Attempt, ModelCallResult } from '../loop/calls.ts';
import { cutOf, summaryInstruction } from '../loop/compaction.ts';
import type { LiveEvents } from './live-events.ts';
import type { LoadMedia } from './load-media.ts';
import type { ModelContext } from './model-contexts.ts';
import { streamAnswer } from './stream-answer.ts';
import { cancelledResult, toModelResult } from './to-model-result.ts';

/** What summing up needs of the call that it is part of. */
export interface Compacting {
  readonly model: LanguageModel;
  /** The agent's name of the model. */
  readonly name: string;
  /** The request as it would be made with these messages. */
  readonly toRequest: (messages: readonly Message[]) => Request;
  readonly loadMedia: LoadMedia;
  readonly signal: AbortSignal;
  readonly earlier: readonly Attempt[];
  /** Share of what is sent that is kept as it is. */
  readonly keep: number;
}

/** Nobody reads a summary while it is written. */
const quiet: LiveEvents = { publish() {}, publishParts() {} };

/** The summary, and where what it sums up ends; an answer without a message when there is nothing to fold. */
export async function summarizeConversation(
  { messages, compaction, callIds }: ModelContext,
  { model, name, toRequest, loadMedia, signal, earlier, keep }: Compacting,
): Promise<ModelCallResult> {
  const first = compaction?.from ?? 0;
  const from = cutOf(messages, first, keep);
  if (from === undefined) return { finishReason: 'other' };
  const folded = messages.slice(first, from);
  const seen = compaction === undefined ? folded : [toMessage(compaction.message), ...folded];
  const request = toRequest([...seen, userMessage(summaryInstruction)]);
  const answer = await streamAnswer(
    model,
    {
      ...request,
      messages: await loadMedia(request.messages, signal),
      ...(request.tools !== undefined && { toolChoice: { mode: 'none' } }),
    },
    quiet,
  );
  if ('cancelled' in answer) return cancelledResult(answer, { changes: [], earlier });
  const { message } = answer.response.output;
  const review = { ...(message !== undefined && { message }), changes: [] };
  const result = toModelResult(answer, review, { changes: [], earlier, callIds, model: name });
  const said = result.message === undefined ? '' : textOf(result.message).trim();
  return said === '' ? result : { ...result, compacted: { from } };
}
