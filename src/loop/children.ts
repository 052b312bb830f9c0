/** The sub-agents of a run: started with a call, ended with its result. */
import type { UsageTotal } from '../chat/usage.ts';
import { addUsage, noUsage } from '../chat/usage-total.ts';
import { toMicroUsd } from './budget-cost.ts';
import type { ChildSpending } from './budget-use.ts';
import type { Fact } from './fact.ts';
import type { LoopState } from './loop-state.ts';
import { activityMessageId, toolActivityId } from './message-ids.ts';
import type { RunResult } from './run-result.ts';
import type { StopReason } from './stop.ts';
import { subAgentResult } from './sub-agent.ts';

/** A sub-agent: its run, the call that it answers, and what it has used once it has ended. */
export interface ChildRun extends ChildSpending {
  readonly callId: string;
  readonly agent: string;
  /** Absent while it runs, and for one that ended without a reason of its own. */
  readonly stopReason?: StopReason;
}

/** The call runs now: as a run of its own. */
export function startChildRun(
  state: LoopState,
  { callId, runId, agent }: Extract<Fact, { type: 'child-started' }>,
): LoopState {
  const child: ChildRun = { runId, callId, agent, usage: noUsage };
  return {
    ...state,
    phase: { kind: 'tools' },
    children: [...(state.children ?? []), child],
    pendingToolCalls: state.pendingToolCalls.map((pending) =>
      pending.call.id === callId
        ? { status: 'running', call: pending.call, index: pending.index }
        : pending,
    ),
  };
}

/** The sub-agent's answer is the call's result, and what it has used is added. */
export function endChildRun(
  state: LoopState,
  { at, runId, result, problem }: Extract<Fact, { type: 'child-ended' }>,
): LoopState {
  const children = state.children ?? [];
  const callId = children.find((child) => child.runId === runId)?.callId;
  return {
    ...state,
    children: children.map((child) => (child.runId === runId ? spent(child, result) : child)),
    toolCalls: state.toolCalls + 1,
    pendingToolCalls: state.pendingToolCalls.map((pending) => {
      const { call, index } = pending;
      if (call.id !== callId || pending.status !== 'running') return pending;
      const activityId = toolActivityId(state.iteration, call.id);
      const id = activityMessageId(state.firstTemporalRunId, activityId, 0);
      const end = {
        runId,
        ...(result !== undefined && { result }),
        ...(problem !== undefined && { problem }),
      };
      const message = subAgentResult(id, call, end, at);
      return { status: 'settled', call, index, message, placeholder: false, answered: true };
    }),
  };
}

function spent(child: ChildRun, result: RunResult | undefined): ChildRun {
  if (result === undefined) return child;
  const { usage, costUsd, iterations, toolCalls, stopReason, children = [] } = result;
  return {
    ...child,
    usage,
    iterations,
    stopReason,
    ...(costUsd !== undefined && { costMicroUsd: toMicroUsd(costUsd) }),
    ...(toolCalls !== undefined && { toolCalls }),
    ...(children.length > 0 && { children: children.length }),
  };
}

/** Tokens of the run and of all its sub-agents. */
export function totalUsage({ usage, children = [] }: LoopState): UsageTotal {
  return children.reduce((sum, child) => addUsage(sum, child.usage), usage);
}
