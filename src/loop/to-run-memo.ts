/** From LoopState to the summary that lists show. Apart from its schema, which Workflow code need not load. */
import { cutBytes } from './cut-text.ts';
import type { LoopState } from './loop-state.ts';
import type { RunMemo } from './run-memo.ts';
import { statusOf } from './run-status.ts';
import type { Stop } from './stop.ts';

/** Key of the summary among the Workflow's memo fields. */
export const memoKey = 'everloop';

/** Bytes of JSON of what others wrote, so that the whole memo stays under 2 KB, where Temporal begins to warn. */
const detailBytes = 900;
const titleBytes = 250;
const agentBytes = 200;

/** The summary of `state` at Workflow time `at`. */
export function toRunMemo(state: LoopState, at: number): RunMemo {
  return {
    version: 1,
    agent: cutBytes(state.start.agent, agentBytes),
    title: cutBytes(state.title, titleBytes),
    status: statusOf(state),
    iterations: state.iteration,
    usage: { inputTokens: state.usage.inputTokens, outputTokens: state.usage.outputTokens },
    modelCalls: state.modelCalls,
    toolCalls: state.toolCalls,
    asOf: at,
    ...(state.stop !== undefined && { stop: shortened(state.stop) }),
    ...(state.endedAt !== undefined &&
      state.transcript.sealed !== undefined && { transcript: state.transcript.sealed }),
  };
}

/** The stop as the memo keeps it, a long text cut. LoopState holds this same form, so that history tells it whole. */
export function shortened(stop: Stop): Stop {
  return { ...stop, detail: cutBytes(stop.detail, detailBytes) };
}
