/** How a model call ends, and what that does to the state. */
import { addUsage } from '../chat/usage-total.ts';
import { applyChanges } from './apply-changes.ts';
import { toolCallsLeft } from './budget.ts';
import { spentByCall } from './budget-reservation.ts';
import { compact } from './compaction.ts';
import type { Fact } from './fact.ts';
import { withHookError } from './hook-failed.ts';
import type { CallError, LoopState } from './loop-state.ts';
import { mayFallBack } from './model-failure.ts';
import { planCalls } from './plan-calls.ts';
import { offered } from './tool-spec-of.ts';
import { gateCalls } from './wait.ts';

/** Whether a message of an earlier Workflow task cut the model call off. In one and the same task, nobody can tell what came first. */
function wasCutOff({ interruptedAt, cancelRequested }: LoopState, now: number): boolean {
  return interruptedAt !== undefined && interruptedAt !== now && !cancelRequested;
}

/** The call was cut off before it had said anything. */
export function cutOffModelCall(state: LoopState, activityId: string): LoopState {
  const { interruptedAt: _, ...rest } = state;
  return {
    ...rest,
    phase: { kind: 'between' },
    lastResponse: {
      activityId,
      finishReason: 'other',
      attempts: 0,
      providerPause: false,
      interrupted: true,
    },
  };
}

/** The call failed for good: the next model of the agent's list is asked, if it may. */
export function failModelCall(
  before: LoopState,
  { at, activityId, error }: Extract<Fact, { type: 'model-failed' }>,
): LoopState {
  if (wasCutOff(before, at)) return cutOffModelCall(before, activityId);
  const { interruptedAt: _, ...state } = before;
  return {
    ...state,
    phase: { kind: 'between' },
    lastError: error,
    model: state.model + (fallsBack(state, error) ? 1 : 0),
  };
}

/** The call was answered: its calls are planned, and it is paid for. */
export function endModelCall(
  { interruptedAt: _, ...state }: LoopState,
  { at, activityId, result }: Extract<Fact, { type: 'model-ended' }>,
): LoopState {
  const { agent, hidden, firstTemporalRunId, iteration } = state;
  if (agent === undefined) throw new Error('a model call ended before the agent was known');
  const lastResponse = {
    activityId,
    ...(result.message !== undefined && {
      message: { ...result.message, createdAt: new Date(at).toISOString() },
    }),
    finishReason: result.finishReason,
    attempts: (result.attempts?.length ?? 0) + 1,
    providerPause: result.providerPause === true,
    ...(result.cancelled === true && !state.cancelRequested && { interrupted: true as const }),
  };
  const ended: LoopState = {
    ...state,
    phase: { kind: 'between' },
    lastResponse,
    pendingToolCalls: planCalls(offered(agent, hidden), lastResponse, {
      firstTemporalRunId,
      iteration,
      at,
      toolCallsLeft: toolCallsLeft(state),
    }),
    usage: addUsage(state.usage, result.usage),
    ...spentByCall(state, result),
    modelCalls: state.modelCalls + 1,
    pauses: lastResponse.providerPause ? state.pauses + 1 : 0,
  };
  const changed = applyChanges(ended, result.changes, at);
  return withHookError(gateCalls(changed, at), result.hookError);
}

/** The summary counts from now on, and is paid for like any answer. */
export function endCompaction(
  state: LoopState,
  fact: Extract<Fact, { type: 'compacted' }>,
): LoopState {
  const { result } = fact;
  const { interruptedAt: _, ...rest } = compact(state, fact);
  if (result?.usage === undefined) return rest;
  const { lastPrompt: __, ...spent } = spentByCall(state, result);
  return {
    ...rest,
    ...spent,
    usage: addUsage(state.usage, result.usage),
    modelCalls: state.modelCalls + 1,
  };
}

/** A run stays with the model it has fallen back to: changing back and forth would lose prompt caches and reasoning. */
function fallsBack({ agent, model, cancelRequested }: LoopState, error: CallError): boolean {
  const isLast = model + 1 >= (agent?.models.length ?? 0);
  return !isLast && !cancelRequested && mayFallBack(error);
}
