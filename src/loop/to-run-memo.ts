/** From LoopState to the summary that lists show. Apart from its schema, which Workflow code need not load. */
import { highestShare, spendingOf } from './budget-use.ts';
import { totalUsage } from './children.ts';
import { cutBytes } from './cut-text.ts';
import type { LoopState } from './loop-state.ts';
import type { RunMemo } from './run-memo.ts';
import { statusOf, waitOf } from './run-status.ts';
import type { Stop } from './stop.ts';

/** Key of the summary among the Workflow's memo fields. */
export const memoKey = 'everloop';

/** Bytes of JSON of what others wrote, so that the whole memo stays under 2 KB, where Temporal begins to warn. */
const detailBytes = 900;
const titleBytes = 250;
const agentBytes = 200;

/** The summary of `state` at Workflow time `at`. */
export function toRunMemo(state: LoopState, at: number): RunMemo {
  const { inputTokens, outputTokens } = totalUsage(state);
  return {
    version: 1,
    agent: cutBytes(state.start.agent, agentBytes),
    title: cutBytes(state.title, titleBytes),
    status: statusOf(state),
    iterations: state.iteration,
    usage: { inputTokens, outputTokens },
    ...spendingMembers(state, at),
    modelCalls: state.modelCalls,
    toolCalls: state.toolCalls,
    asOf: at,
    ...(state.stop !== undefined && { stop: shortened(state.stop) }),
    ...waitMembers(state),
    ...(state.endedAt !== undefined &&
      state.transcript.sealed !== undefined && { transcript: state.transcript.sealed }),
  };
}

function spendingMembers(state: LoopState, at: number): Pick<RunMemo, 'costUsd' | 'budgetUse'> {
  const { costUsd, budget = [] } = spendingOf(state, at);
  const share = highestShare(budget);
  return {
    ...(costUsd !== undefined && { costUsd }),
    ...(share !== undefined && { budgetUse: Math.round(share * 1000) / 1000 }),
  };
}

/** Longest text of what a run waits for, bytes of JSON. */
const waitingForBytes = 200;

function waitMembers(state: LoopState): Pick<RunMemo, 'waitingFor' | 'boundary'> {
  if (state.stop !== undefined) return {};
  const waitingFor = waitingForOf(state);
  return {
    ...(waitingFor !== undefined && { waitingFor: cutBytes(waitingFor, waitingForBytes) }),
    ...(state.phase.kind === 'boundary' && { boundary: true }),
  };
}

function waitingForOf(state: LoopState): string | undefined {
  const wait = waitOf(state);
  if (wait === undefined) return undefined;
  if (wait === 'paused') return state.paused?.reason ?? 'somebody to resume it';
  if (wait === 'waiting:budget') return 'more budget';
  const kind = wait === 'waiting:approval' ? 'approval' : 'answer';
  const names = state.pendingToolCalls.flatMap((pending) =>
    pending.status === 'awaiting' && pending.wait.kind === kind ? [pending.call.name] : [],
  );
  return `${kind}: ${names.join(', ')}`;
}

/** The stop as the memo keeps it, a long text cut. LoopState holds this same form, so that history tells it whole. */
export function shortened(stop: Stop): Stop {
  return { ...stop, detail: cutBytes(stop.detail, detailBytes) };
}
