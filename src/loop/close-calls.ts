/** Gives every tool call its one result, whatever happened to it. */
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import type { AppendEntry } from './advance.ts';
import type { HookResult } from './hook-changes.ts';
import type { LoopState, PendingToolCall } from './loop-state.ts';
import { activityMessageId, toolActivityId } from './message-ids.ts';
import {
  notExecuted,
  outcomeUncertain,
  outcomeUnknown,
  ownResult,
  shortName,
} from './placeholders.ts';
import type { ToolOutcome } from './tool-outcome.ts';
import { toolSpecOf } from './tool-spec-of.ts';

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
    return {
      status: 'settled',
      call,
      index,
      message,
      placeholder: false,
      ...(outcome.changes !== undefined && { changes: outcome.changes }),
    };
  }
  const message = placeholder(state, pending, placeholderText(state, call.name, outcome), at);
  return { status: 'settled', call, index, message, placeholder: true };
}

function placeholderText(state: LoopState, name: string, outcome: ToolOutcome): string {
  if (outcome.status === 'lost') return outcomeUnknown(name, outcome.reason);
  if (outcome.status === 'cancelled') return outcomeUnknown(name, 'it was cancelled while running');
  if (outcome.status === 'not-started') return notExecuted(name);
  const tool = state.agent && toolSpecOf(state.agent, name);
  // History does not tell a call that was never started from one between two attempts; where nothing can have happened, it does not matter.
  const mayHaveStarted = tool !== undefined && tool.maxAttempts > 1 && tool.effect !== 'none';
  return mayHaveStarted ? outcomeUncertain(name) : notExecuted(name);
}

function placeholder(
  state: LoopState,
  pending: PendingToolCall,
  text: string,
  at: number,
  isError = true,
): TranscriptMessage {
  const id = activityMessageId(
    state.firstTemporalRunId,
    toolActivityId(state.iteration, pending.call.id),
    0,
  );
  return ownResult(id, pending.call, text, at, isError);
}

/** A call that the run answers itself. */
export function settledByRun(
  state: LoopState,
  pending: PendingToolCall,
  text: string,
  at: number,
  isError: boolean,
): Extract<PendingToolCall, { status: 'settled' }> {
  const { call, index } = pending;
  const message = placeholder(state, pending, text, at, isError);
  return { status: 'settled', call, index, message, placeholder: true };
}

/** The call as the hooks leave it: to be run as it was, or answered without that. */
export function answerByHook(
  state: LoopState,
  pending: PendingToolCall,
  { actions, invalid, results }: HookResult,
  at: number,
): PendingToolCall {
  const { call, index } = pending;
  const rewritten = results?.find(({ callId }) => callId === call.id)?.message;
  if (rewritten !== undefined) {
    const message = { ...rewritten, createdAt: new Date(at).toISOString() };
    return { status: 'settled', call, index, message, placeholder: true };
  }
  if (pending.status !== 'proposed') return pending;
  const problem = invalid?.find(({ callId }) => callId === call.id)?.problem;
  const action = actions?.find(({ callId }) => callId === call.id)?.action;
  if (problem !== undefined) return settledByRun(state, pending, problem, at, true);
  if (action?.kind !== 'skip') return pending;
  const text = action.text ?? `skipped: ${shortName(call.name)}`;
  return settledByRun(state, pending, text, at, false);
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
      : neverStarted(state, pending, at),
  );
  return resultEntries({ ...state, pendingToolCalls });
}

function neverStarted(state: LoopState, pending: PendingToolCall, at: number): PendingToolCall {
  if (pending.status === 'settled') return pending;
  return settledByRun(state, pending, notExecuted(pending.call.name), at, true);
}
