/** Calls that wait for somebody outside: which do, and how they go on. The same rules in the Workflow and in its projection. */
import type { AgentSpec, ToolSpec } from './agent-spec.ts';
import { settledByRun } from './close-calls.ts';
import type { AnswerInput, DecideInput } from './control.ts';
import type { HookResult } from './hook-changes.ts';
import { isInterrupted } from './inbox.ts';
import type { LoopState, PendingToolCall } from './loop-state.ts';
import { notExecuted } from './placeholders.ts';
import { subAgentProblem } from './sub-agent.ts';
import { toolSpecOf } from './tool-spec-of.ts';

type Proposed = Extract<PendingToolCall, { status: 'proposed' }>;
type Awaiting = Extract<PendingToolCall, { status: 'awaiting' }>;

/**
 * Whether a Worker is asked about the call before it is run: hooks decide on it, or a person will, who is shown
 * only what the tool's own code takes for valid and wants to be approved.
 */
function isAskedBefore({ agent, remembered = [] }: LoopState, tool: ToolSpec): boolean {
  if (agent?.hooks?.some(({ moments }) => moments.includes('onToolStart')) === true) return true;
  if (tool.external !== undefined) return true;
  return tool.approve !== undefined && !remembered.includes(tool.definition.name);
}

/** Whether a Worker is to be asked before any of the calls is run. */
export function mustAsk(state: LoopState, calls: readonly PendingToolCall[]): boolean {
  const { agent } = state;
  if (agent === undefined) return false;
  return calls.some((pending) => {
    const tool = toolSpecOf(agent, pending.call.name);
    return tool !== undefined && isAskedBefore(state, tool);
  });
}

/**
 * Lets calls that need somebody wait, and closes those that an interruption overtook.
 * @param at Workflow time in milliseconds since the epoch
 */
export function gateCalls(state: LoopState, at: number): LoopState {
  const { agent } = state;
  if (agent === undefined || !state.pendingToolCalls.some(isOpen)) return state;
  const interrupted = isInterrupted(state);
  const pendingToolCalls = state.pendingToolCalls.map((pending) => {
    if (!isOpen(pending)) return pending;
    if (interrupted) {
      return settledByRun(state, pending, notExecuted(pending.call.name), at, true);
    }
    return pending.status === 'proposed' ? gate(state, agent, pending, at) : pending;
  });
  return { ...state, pendingToolCalls };
}

function isOpen({ status }: PendingToolCall): boolean {
  return status === 'proposed' || status === 'awaiting';
}

function gate(state: LoopState, agent: AgentSpec, pending: Proposed, at: number): PendingToolCall {
  const { call, index, ask } = pending;
  const { remembered = [] } = state;
  const tool = toolSpecOf(agent, call.name);
  if (tool?.subAgent !== undefined) {
    const problem = subAgentProblem(state, call);
    if (problem !== undefined) return settledByRun(state, pending, problem, at, true);
  }
  if (tool === undefined || (pending.asked !== true && isAskedBefore(state, tool))) return pending;
  const isWanted = ask !== undefined || tool.approve?.when === 'always';
  if (isWanted && pending.allowed !== true && !remembered.includes(call.name)) {
    const { timeoutMs, onTimeout } = tool.approve ?? {};
    const wait = {
      kind: 'approval' as const,
      since: at,
      ...(timeoutMs !== undefined && { deadline: at + timeoutMs }),
      ...(onTimeout !== undefined && { onTimeout }),
      ...(ask?.question !== undefined && { question: ask.question }),
    };
    return { status: 'awaiting', call, index, wait };
  }
  if (tool.external === undefined) return pending;
  const { timeoutMs } = tool.external;
  const wait = {
    kind: 'answer' as const,
    since: at,
    ...(timeoutMs !== undefined && { deadline: at + timeoutMs }),
  };
  return { status: 'awaiting', call, index, wait };
}

/** Notes that the hooks were asked about the calls: all that were proposed, in a row only the first. */
export function markAsked(state: LoopState, { actions }: HookResult): LoopState {
  let isNext = true;
  const pendingToolCalls = state.pendingToolCalls.map((pending) => {
    if (pending.status !== 'proposed' || pending.asked === true || !isNext) return pending;
    isNext = state.agent?.serialTools !== true;
    const action = actions?.find(({ callId }) => callId === pending.call.id)?.action;
    if (action?.kind !== 'ask') return { ...pending, asked: true as const };
    const { question } = action;
    const ask = question === undefined ? {} : { question };
    return { ...pending, asked: true as const, ask };
  });
  return { ...state, pendingToolCalls };
}

/** Applies a decision that `controlProblem` found nothing wrong with. */
export function applyDecision(state: LoopState, decision: DecideInput, at: number): LoopState {
  const awaiting = awaitingCall(state, decision.callId, 'approval');
  if (awaiting === undefined) return state;
  const { name } = awaiting.call;
  const remembers = decision.remember === true && decision.decision !== 'deny';
  const remembered = state.remembered ?? [];
  const isMeant = ({ call, status }: PendingToolCall) =>
    call.id === decision.callId || (remembers && status === 'awaiting' && call.name === name);
  const decided: LoopState = {
    ...state,
    ...(remembers && !remembered.includes(name) && { remembered: [...remembered, name] }),
    pendingToolCalls: state.pendingToolCalls.map((pending) =>
      isMeant(pending) && pending.status === 'awaiting' && pending.wait.kind === 'approval'
        ? decidedCall(state, pending, decision, at)
        : pending,
    ),
  };
  return gateCalls(decided, at);
}

function decidedCall(
  state: LoopState,
  pending: Awaiting,
  { callId, decision, input, reason }: DecideInput,
  at: number,
): PendingToolCall {
  const { call, index } = pending;
  if (decision === 'deny') {
    const why = reason === undefined || reason === '' ? '' : `: ${reason}`;
    return settledByRun(state, pending, `denied by user${why}`, at, true);
  }
  const isEdited = decision === 'edit' && call.id === callId;
  const edited = isEdited ? { ...call, arguments: JSON.stringify(input) } : call;
  return { status: 'proposed', call: edited, index, asked: true, allowed: true };
}

/** Applies an answer that `controlProblem` found nothing wrong with: it is the call's result. */
export function applyAnswer(state: LoopState, given: AnswerInput, at: number): LoopState {
  const { callId, answer: said, isError = false } = given;
  const awaiting = awaitingCall(state, callId, 'answer');
  if (awaiting === undefined) return state;
  const text = typeof said === 'string' ? said : JSON.stringify(said);
  const result = settledByRun(state, awaiting, text === '' ? noAnswer : text, at, isError);
  // History holds the answer itself, from which the message is made again.
  const settled = { ...result, placeholder: false, answered: true as const };
  return {
    ...state,
    pendingToolCalls: state.pendingToolCalls.map((pending) =>
      pending === awaiting ? settled : pending,
    ),
  };
}

const noAnswer = '(no answer)';

/** Ends the waits whose time is over. A run that is being cancelled waits for nothing any more. */
export function expireWaits(state: LoopState, now: number): LoopState {
  if (state.cancelRequested) return state;
  const pendingToolCalls = state.pendingToolCalls.map((pending) => {
    if (pending.status !== 'awaiting') return pending;
    const { wait } = pending;
    if (wait.deadline === undefined || wait.deadline > now) return pending;
    return expired(state, pending, now);
  });
  return gateCalls({ ...state, pendingToolCalls }, now);
}

function expired(state: LoopState, pending: Awaiting, now: number): PendingToolCall {
  const { call, index, wait } = pending;
  if (wait.kind === 'answer') return settledByRun(state, pending, noAnswer, now, false);
  if (wait.onTimeout === 'allow') {
    return { status: 'proposed', call, index, asked: true, allowed: true };
  }
  return settledByRun(state, pending, 'denied: nobody decided in time', now, true);
}

/** The call that waits, if it waits for that. */
export function awaitingCall(
  { pendingToolCalls }: LoopState,
  callId: string,
  kind: Awaiting['wait']['kind'],
): Awaiting | undefined {
  for (const pending of pendingToolCalls) {
    if (pending.call.id !== callId || pending.status !== 'awaiting') continue;
    if (pending.wait.kind === kind) return pending;
  }
  return undefined;
}

/** Whether calls wait for somebody and nothing of the run is working meanwhile. */
export function isParkedInTools({ pendingToolCalls, agent }: LoopState): boolean {
  if (!pendingToolCalls.some(({ status }) => status === 'awaiting')) return false;
  const isBusy = ({ status }: PendingToolCall) =>
    status === 'running' || (status === 'proposed' && agent?.serialTools !== true);
  return !pendingToolCalls.some(isBusy);
}
