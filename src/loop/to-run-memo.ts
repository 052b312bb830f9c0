/** From LoopState to the summary that lists show. Apart from its schema, which Workflow code need not load. */
import { cutText } from './cut-text.ts';
import type { LoopState } from './loop-state.ts';
import type { RunMemo } from './run-memo.ts';
import type { Stop } from './stop.ts';

/** Key of the summary among the Workflow's memo fields. */
export const memoKey = 'everloop';

/** Longest title kept in the memo, in UTF-16 code units. */
const titleLength = 80;
/** Longest detail kept in the memo: with three bytes a character the whole memo stays under 2 KB, where Temporal begins to warn. */
const detailLength = 400;

/** The outside view of where a run is: `running` or its stop reason. */
export function statusOf(state: LoopState): string {
  return state.stop?.reason ?? 'running';
}

/** First line of what the user asked, shortened. */
export function titleOf(start: LoopState['start']): string {
  if (start.title !== undefined) return cutText(start.title, titleLength);
  const text =
    typeof start.input === 'string'
      ? start.input
      : start.input.parts.map((part) => (part.kind === 'text' ? part.text : '')).join(' ');
  return cutText(text.trim().split('\n', 1)[0] ?? '', titleLength);
}

/** The summary of `state` at Workflow time `at`. */
export function toRunMemo(state: LoopState, at: number): RunMemo {
  return {
    version: 1,
    agent: state.start.agent,
    title: titleOf(state.start),
    status: statusOf(state),
    iterations: state.iteration,
    usage: { inputTokens: state.usage.inputTokens, outputTokens: state.usage.outputTokens },
    modelCalls: state.modelCalls,
    toolCalls: state.toolCalls,
    asOf: at,
    ...(state.stop !== undefined && { stop: shortened(state.stop) }),
  };
}

/** The stop as the memo keeps it, a long text cut. LoopState holds this same form, so that history tells it whole. */
export function shortened(stop: Stop): Stop {
  return { ...stop, detail: cutText(stop.detail, detailLength) };
}
