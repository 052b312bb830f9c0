/** The fold: `apply(state, fact)` is the only way in which LoopState changes, in the Workflow and in the history projection alike. */

import { noUsage } from '../chat/usage-total.ts';
import { defaultMaxIterations } from './agent-defaults.ts';
import { append } from './append.ts';
import { applyChanges, haltOf } from './apply-changes.ts';
import { isOverBudget } from './budget.ts';
import { applyExtension } from './budget-extension.ts';
import { endChildRun, startChildRun } from './children.ts';
import { answerByHook, closeCalls, settle } from './close-calls.ts';
import { firstDigest } from './digest.ts';
import { cutOffModelCall, endCompaction, endModelCall, failModelCall } from './end-model-call.ts';
import type { Fact } from './fact.ts';
import type { HookResult } from './hook-changes.ts';
import { withHookError } from './hook-failed.ts';
import { receive, take } from './inbox.ts';
import type { LoopState } from './loop-state.ts';
import { loopVersion } from './loop-state.ts';
import { restore } from './restored.ts';
import { titleOf } from './title-of.ts';
import { hasStarted } from './tool-outcome.ts';
import { applyAnswer, applyDecision, expireWaits, gateCalls, markAsked } from './wait.ts';

/** The state of a run that has just been started. */
export function startState(fact: Extract<Fact, { type: 'run-started' }>): LoopState {
  const { input, history, title: _, ...start } = fact.start;
  return {
    version: 1,
    loopVersion,
    runId: fact.runId,
    firstTemporalRunId: fact.firstTemporalRunId,
    generation: 1,
    title: titleOf(fact.start),
    start,
    opening: { input, ...(history !== undefined && { history }) },
    startedAt: fact.at,
    maxIterations: fact.start.maxIterations ?? defaultMaxIterations,
    iteration: 0,
    phase: { kind: 'starting' },
    transcript: { count: 0, digest: '', tail: [] },
    unsent: { append: [], received: [] },
    pendingToolCalls: [],
    inbox: [],
    received: 0,
    seen: [],
    repairs: [],
    refused: 0,
    output: '',
    usage: noUsage,
    modelCalls: 0,
    callsInIteration: 0,
    model: 0,
    toolCalls: 0,
    pauses: 0,
    hidden: [],
    cancelRequested: false,
    metadata: start.metadata ?? {},
  };
}

/**
 * The state after `fact`. Never changes its arguments.
 * @throws Error when the fact cannot happen in this state: a broken invariant, never bad input
 */
export function apply(state: LoopState, fact: Exclude<Fact, { type: 'run-started' }>): LoopState {
  switch (fact.type) {
    case 'restored':
      return restore(state, fact);
    case 'agent-resolved':
      return {
        ...state,
        agent: fact.agent,
        maxIterations: state.start.maxIterations ?? fact.agent.maxIterations,
        hidden: fact.agent.hiddenTools ?? [],
        transcript: {
          ...state.transcript,
          digest: firstDigest(fact.agent.hash, state.transcript.seed),
        },
      };
    case 'message-received':
      return gateCalls(receive(state, fact), fact.at);
    case 'decided':
      return applyDecision(state, fact.decision, fact.at);
    case 'answered':
      return applyAnswer(state, fact.answer, fact.at);
    case 'waits-expired':
      return expireWaits(state, fact.at);
    case 'paused': {
      const { type: _, ...paused } = fact;
      return { ...state, paused };
    }
    case 'resumed': {
      const { paused: _, ...resumed } = state;
      return resumed;
    }
    case 'message-refused':
      return { ...state, refused: state.refused + 1 };
    case 'iteration-started':
      return { ...take(state, fact.received), iteration: fact.iteration, callsInIteration: 0 };
    case 'messages-taken':
      return take(state, fact.received);
    case 'appended':
      return fact.entries.reduce(append, state);
    case 'told':
      return { ...state, unsent: nothingUnsent };
    case 'sealed':
      return { ...state, transcript: { ...state.transcript, sealed: fact.ref } };
    case 'model-started':
      return {
        ...state,
        phase: { kind: 'model' },
        callsInIteration: state.callsInIteration + 1,
        unsent: nothingUnsent,
      };
    case 'model-failed':
      return failModelCall(state, fact);
    case 'model-interrupted':
      return cutOffModelCall(state, fact.activityId);
    case 'model-ended':
      return endModelCall(state, fact);
    case 'compacted':
      return endCompaction(state, fact);
    case 'tool-started':
      return {
        ...state,
        phase: { kind: 'tools' },
        pendingToolCalls: state.pendingToolCalls.map((pending) =>
          pending.call.id === fact.callId
            ? { status: 'running', call: pending.call, index: pending.index }
            : pending,
        ),
      };
    case 'tool-ended':
      return endTool(state, fact);
    case 'child-started':
      return startChildRun(state, fact);
    case 'child-ended':
      return endChildRun(state, fact);
    case 'hooks-asked':
      return askedHooks(state, fact);
    case 'budget-extended':
      return endBudgetWait(applyExtension(state, fact.budget), fact.at);
    case 'budget-awaited':
      return awaitBudget(state, fact.at);
    case 'iteration-ended':
      return { ...withoutMessage(state), phase: { kind: 'boundary' } };
    case 'cancel-requested':
      // One that comes after the decision to stop changes nothing about it.
      return state.stop === undefined ? { ...state, cancelRequested: true } : state;
    case 'stopped':
      return {
        ...close(state, fact.at),
        stop: fact.stop,
        phase: { kind: 'ending' },
      };
    case 'ended':
      return { ...state, endedAt: fact.at, phase: { kind: 'ended' } };
  }
}

function awaitBudget(state: LoopState, since: number): LoopState {
  const { waitForMs } = state.agent?.onLimit ?? {};
  if (waitForMs === undefined) throw new Error('the agent waits for no budget');
  return { ...state, budgetWait: { since, deadline: since + waitForMs } };
}

/** The wait is over once there is room for the next call. */
function endBudgetWait(state: LoopState, now: number): LoopState {
  if (state.budgetWait === undefined || isOverBudget(state, now)) return state;
  const { budgetWait: _, ...rest } = state;
  return rest;
}

/** The last response's message stands in the transcript now, and is not carried on twice. */
function withoutMessage(state: LoopState): LoopState {
  if (state.lastResponse?.message === undefined) return state;
  const { message: _, ...lastResponse } = state.lastResponse;
  return { ...state, lastResponse };
}

const nothingUnsent: LoopState['unsent'] = { append: [], received: [] };

/** The result waits for those before it; a wish to stop does not. */
function endTool(
  state: LoopState,
  { at, callId, outcome }: Extract<Fact, { type: 'tool-ended' }>,
): LoopState {
  const ended: LoopState = {
    ...state,
    toolCalls: state.toolCalls + (hasStarted(outcome) ? 1 : 0),
    pendingToolCalls: state.pendingToolCalls.map((pending) =>
      pending.call.id === callId ? settle(state, pending, outcome, at) : pending,
    ),
  };
  if (outcome.status !== 'finished' || ended.halt !== undefined) return ended;
  const stop = haltOf(outcome.changes);
  return withHookError(stop === undefined ? ended : { ...ended, halt: stop }, outcome.hookError);
}

/** A call that is not run has its answer at once; an abort stops the run. */
function askedHooks(
  state: LoopState,
  { at, result }: Extract<Fact, { type: 'hooks-asked' }>,
): LoopState {
  const changed = applyChanges(state, result.changes, at);
  const { pendingToolCalls } = afterAsking(changed, result, at);
  const abort = result.actions?.find(({ action }) => action.kind === 'abort');
  if (abort?.action.kind !== 'abort' || changed.halt !== undefined) {
    return { ...changed, pendingToolCalls };
  }
  const detail = abort.action.detail ?? `A hook stopped the run before call ${abort.callId}.`;
  return { ...changed, pendingToolCalls, halt: { reason: 'aborted', detail } };
}

function afterAsking(state: LoopState, result: HookResult, at: number): LoopState {
  const pendingToolCalls = state.pendingToolCalls.map((pending) =>
    answerByHook(state, pending, result, at),
  );
  const answered: LoopState = { ...state, pendingToolCalls };
  return result.moment === 'onToolStart' ? gateCalls(markAsked(answered, result), at) : answered;
}

function close(state: LoopState, at: number): LoopState {
  const running = state.pendingToolCalls.filter((pending) => pending.status === 'running');
  return {
    ...closeCalls(state, at).reduce(append, state),
    toolCalls: state.toolCalls + running.length,
  };
}
