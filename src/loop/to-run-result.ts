/** From the state of a stopped run to its result. Apart from the schema, which Workflow code need not load. */
import { spendingOf } from './budget-use.ts';
import { totalUsage } from './children.ts';
import { cutBytes } from './cut-text.ts';
import type { LoopState } from './loop-state.ts';
import { maxPayloadBytes } from './payload-limit.ts';
import type { RunResult } from './run-result.ts';

/** Ids of late messages that the sentence names; all are in the list beside it. */
const namedIds = 10;
/** Repairs that are listed; the transcript shows what they came to. */
const listedRepairs = 100;
/** Bytes of JSON that everything but the output takes at most: a thousand ids of two hundred characters, and the rest. */
const surroundings = 800_000;

/** The result of a stopped run. It fits into one payload: what does not is cut, and whole in the transcript. */
export function toRunResult(state: LoopState, temporalRunId?: string): RunResult {
  const {
    stop,
    transcript: { sealed, count },
  } = state;
  if (stop === undefined) throw new Error('the run has not stopped');
  const undelivered = state.inbox.map((waiting) => waiting.id);
  return {
    version: 1,
    ...(temporalRunId !== undefined && { temporalRunId }),
    output: cutBytes(state.output, maxPayloadBytes - surroundings),
    stopReason: stop.reason,
    ...(state.lastResponse !== undefined && { finishReason: state.lastResponse.finishReason }),
    ended: `${stop.detail}${late(undelivered)}`,
    usage: totalUsage(state),
    ...spendingOf(state, state.endedAt),
    iterations: state.iteration,
    ...(state.toolCalls > 0 && { toolCalls: state.toolCalls }),
    ...childMembers(state),
    ...(state.repairs.length > 0 && { repairs: state.repairs.slice(0, listedRepairs) }),
    ...(sealed?.messages === count && { transcript: sealed }),
    undelivered,
  };
}

/** Sub-agents that are listed; the run's events tell of all. */
const listedChildren = 1_000;

function childMembers({ children = [] }: LoopState): Pick<RunResult, 'children'> {
  if (children.length === 0) return {};
  return {
    children: children.slice(0, listedChildren).map(({ runId, agent, stopReason }) => ({
      runId,
      agent,
      ...(stopReason !== undefined && { stopReason }),
    })),
  };
}

function late(ids: readonly string[]): string {
  if (ids.length === 0) return '';
  const more = ids.length > namedIds ? ` and ${ids.length - namedIds} more` : '';
  return ` Messages that came too late: ${ids.slice(0, namedIds).join(', ')}${more}.`;
}
