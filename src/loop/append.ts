/** Moves messages that an append entry stands for into the transcript. */
import type { Message } from '../chat/message.ts';
import type { Repaired } from '../chat/repair.ts';
import { repair } from '../chat/repair.ts';
import { textOf } from '../chat/text-of.ts';
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import type { AppendEntry } from './advance.ts';
import { applyChanges } from './apply-changes.ts';
import type { LoopState } from './loop-state.ts';
import { inputMessageId, toolActivityId } from './message-ids.ts';
import { push } from './push.ts';
import { toUserMessage } from './to-user-message.ts';

/** Moves one entry's messages into the transcript; a tool result leaves the pending calls with it. */
export function append(state: LoopState, entry: AppendEntry): LoopState {
  const messages = messagesOf(state, entry);
  const answered = new Set(messages.flatMap(resultIdsOf));
  const changes = state.pendingToolCalls.flatMap((pending) =>
    pending.status === 'settled' && answered.has(pending.call.id) ? (pending.changes ?? []) : [],
  );
  const said = messages.findLast((message) => message.role === 'assistant');
  const { opening, ...opened } = state;
  const appended: LoopState = {
    ...(entry === 'input' ? opened : state),
    ...(entry === 'input' &&
      opening !== undefined && { repairs: repairedHistory(opening).repairs }),
    ...(said !== undefined && { output: textOf(said) }),
    transcript: messages.reduce(push, state.transcript),
    unsent: { ...state.unsent, append: [...state.unsent.append, entry] },
    pendingToolCalls:
      answered.size === 0
        ? state.pendingToolCalls
        : state.pendingToolCalls.filter((pending) => !answered.has(pending.call.id)),
  };
  return applyChanges(appended, changes, 0);
}

function messagesOf(state: LoopState, entry: AppendEntry): readonly TranscriptMessage[] {
  if (typeof entry !== 'string') return [entry];
  if (entry === 'input') return openingMessages(state);
  if (entry === state.lastResponse?.activityId && state.lastResponse.message !== undefined) {
    return [state.lastResponse.message];
  }
  for (const pending of state.pendingToolCalls) {
    if (
      pending.status === 'settled' &&
      entry === toolActivityId(state.iteration, pending.call.id)
    ) {
      return [pending.message];
    }
  }
  throw new Error(`no message for ${entry} in iteration ${state.iteration}`);
}

/** The messages a run begins with: its history, put right and without system messages, then its input. */
function openingMessages({
  opening,
  firstTemporalRunId,
  startedAt,
}: LoopState): readonly TranscriptMessage[] {
  if (opening === undefined) throw new Error('the input was appended before');
  const createdAt = new Date(startedAt).toISOString();
  return [...repairedHistory(opening).messages, toUserMessage(opening.input)].map(
    (message, index) => ({ ...message, id: inputMessageId(firstTemporalRunId, index), createdAt }),
  );
}

function repairedHistory({ history = [] }: NonNullable<LoopState['opening']>): Repaired<Message> {
  return repair(history.filter((message) => message.role !== 'system'));
}

function resultIdsOf(message: TranscriptMessage): readonly string[] {
  return message.parts.flatMap((part) => (part.kind === 'tool_result' ? [part.toolResult.id] : []));
}
