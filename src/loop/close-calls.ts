/** Gives every tool call its one result, whatever happened to it. */
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import type { AppendEntry } from './calls.ts';
import type { LoopState, PendingToolCall } from './loop-state.ts';
import { activityMessageId, toolActivityId } from './message-ids.ts';
import { errorResult, notExecuted, outcomeUnknown } from './placeholders.ts';
import type { ToolOutcome } from './tool-outcome.ts';

/** A call whose outcome is known now. */
export function settle(
  state: LoopState,
  pending: PendingToolCall,
  outcome: ToolOutcome,
  at: number,
): PendingToolCall {
  if (pending.status === 'settled') return pending;
  const { call, index } = pending;
  if (outcome.status === 'finished') {
    const message = { ...outcome.message, createdAt: new Date(at).toISOString() };
    return { status: 'settled', call, index, message, placeholder: false };
  }
  const message = placeholder(state, pending, placeholderText(pending, outcome), at);
  return { status: 'settled', call, index, message, placeholder: true };
}

function placeholderText(pending: PendingToolCall, outcome: ToolOutcome): string {
  const { name } = pending.call;
  if (outcome.status === 'lost') return outcomeUnknown(name, outcome.reason);
  if (outcome.status === 'cancelled') return outcomeUnknown(name, 'it was cancelled while running');
  return notExecuted(name);
}

function placeholder(
  state: LoopState,
  pending: PendingToolCall,
  text: string,
  at: number,
): TranscriptMessage {
  const id = activityMessageId(
    state.temporalRunId,
    toolActivityId(state.iteration, pending.call.id),
    0,
  );
  return errorResult(id, pending.call, text, at);
}

/** The entries that append the results of settled calls, in call order. */
export function resultEntries(state: LoopState): readonly AppendEntry[] {
  return state.pendingToolCalls.flatMap((pending): readonly AppendEntry[] => {
    if (pending.status !== 'settled') return [];
    return pending.placeholder
      ? [pending.message]
      : [toolActivityId(state.iteration, pending.call.id)];
  });
}

/** The entry that appends the last response's message, if it has one. */
export function responseEntries(state: LoopState): readonly AppendEntry[] {
  return state.lastResponse?.message === undefined ? [] : [state.lastResponse.activityId];
}

/**
 * The entries that close all open calls when the run stops: finished calls keep their result, running ones
 * become `outcome unknown`, those never started `not executed`.
 */
export function closeCalls(state: LoopState, at: number): readonly AppendEntry[] {
  const pendingToolCalls = state.pendingToolCalls.map((pending) =>
    pending.status === 'running'
      ? settle(state, pending, { status: 'lost', reason: 'the run stopped' }, at)
      : settle(state, pending, { status: 'not-started' }, at),
  );
  return resultEntries({ ...state, pendingToolCalls });
}
