/** From a model's answer to what history records of it: the final message with its identity, usage, and what hooks changed. */
import { ApplicationFailure } from '@temporalio/common';
import { callsOf } from '../chat/calls-of.ts';
import { pauseMark } from '../chat/pause-mark.ts';
import type { IdentifiedMessage } from '../chat/transcript-message.ts';
import { withUniqueCallIds } from '../loop/call-ids.ts';
import type { Attempt, ModelCallResult } from '../loop/calls.ts';
import { failureType } from '../loop/failure-types.ts';
import type { HookChanges } from '../loop/hook-changes.ts';
import { callHere } from './call-here.ts';
import { isRecordable } from './is-recordable.ts';
import type { ReviewedResponse } from './model-hooks.ts';
import { partialMessage } from './partial-message.ts';
import type { CancelledAnswer, WholeAnswer } from './stream-answer.ts';

/** More calls than this are no answer but a fault; each of them would need a result in history. */
const maxRecordedCalls = 1_000;

/** What is known of the call beside its answer. */
interface CallRecord {
  /** What hooks changed before the request. */
  readonly changes: readonly HookChanges[];
  readonly earlier: readonly Attempt[];
  /** Ids of all tool calls so far: new calls get others. */
  readonly callIds: ReadonlySet<string>;
  /** The agent's name of the model. */
  readonly model: string;
}

/**
 * The result of a call that came to its end.
 * @throws ApplicationFailure `everloop.too_large`
 */
export function toModelResult(
  { response, report }: WholeAnswer,
  { message, changes, hookError }: ReviewedResponse,
  record: CallRecord,
): ModelCallResult {
  const { finishReason, metadata } = response.output;
  const { usage, model } = response.metadata ?? {};
  const allChanges = [...record.changes, ...changes];
  const result: ModelCallResult = {
    ...(message !== undefined && {
      message: identified(withUniqueCallIds(message, record.callIds)),
    }),
    finishReason,
    ...(usage !== undefined && { usage }),
    // History need not repeat what the agent says already.
    ...(model !== undefined && !record.model.endsWith(model) && { model }),
    ...(record.earlier.length > 0 && { attempts: [...record.earlier] }),
    ...(metadata?.extra?.[pauseMark] === true && { providerPause: true }),
    ...(report.length > 0 && { report: [...report] }),
    ...(allChanges.length > 0 && { changes: allChanges }),
    ...(hookError !== undefined && { hookError }),
  };
  const calls = callsOf(result.message).length;
  if (calls > maxRecordedCalls) throw tooLarge(`The answer makes ${calls} tool calls.`);
  if (isRecordable(result)) return result;
  throw tooLarge('The answer is too large to be recorded. Limit it with maxOutputTokens.');
}

/** What a cancelled call has come to: the text so far, and the tokens if the provider told them. */
export function cancelledResult(
  { cancelled }: CancelledAnswer,
  { changes, earlier }: Pick<CallRecord, 'changes' | 'earlier'>,
): ModelCallResult {
  const partial = partialMessage(cancelled.message());
  const usage = cancelled.metadata()?.usage;
  const message = partial && identified({ ...partial, partial: true });
  return {
    ...(message !== undefined && isRecordable(message) && { message }),
    finishReason: 'other',
    ...(usage !== undefined && { usage }),
    ...(earlier.length > 0 && { attempts: [...earlier] }),
    ...(changes.length > 0 && { changes: [...changes] }),
    cancelled: true,
  };
}

function tooLarge(message: string): ApplicationFailure {
  return ApplicationFailure.create({ type: failureType.tooLarge, message, nonRetryable: true });
}

function identified(message: Omit<IdentifiedMessage, 'id'>): IdentifiedMessage {
  return { ...message, id: callHere().messageId };
}
