/** The small summary of a run that lists show: the Workflow's memo. Also the record of why a run stopped, because a cancelled Workflow records no result. */
import * as z from 'zod/mini';
import type { LoopState } from './loop-state.ts';
import { Stop } from './stop.ts';

/** Longest title kept in the memo, in UTF-16 code units. */
const titleLength = 120;
/** Longest error or detail kept in the memo: the memo as a whole stays under 2 KB, where Temporal begins to warn. */
const detailLength = 600;

export const RunMemo = z.object({
  version: z.literal(1),
  agent: z.string(),
  title: z.string(),
  status: z.string(),
  iterations: z.int(),
  usage: z.object({ inputTokens: z.int(), outputTokens: z.int() }),
  modelCalls: z.int(),
  toolCalls: z.int(),
  /** Workflow time of these figures, milliseconds since the epoch. */
  asOf: z.int(),
  stop: z.optional(Stop),
});
export type RunMemo = z.infer<typeof RunMemo>;

/** Key of the summary among the Workflow's memo fields. */
export const memoKey = 'everloop';

/** The outside view of where a run is: `running` or its stop reason. One function for CLI, API and UI. */
export function statusOf(state: LoopState): string {
  return state.stop?.reason ?? 'running';
}

/** First line of what the user asked, shortened. */
export function titleOf(start: LoopState['start']): string {
  if (start.title !== undefined) return cut(start.title, titleLength);
  const text =
    typeof start.input === 'string'
      ? start.input
      : start.input.parts.map((part) => (part.kind === 'text' ? part.text : '')).join(' ');
  return cut(text.trim().split('\n', 1)[0] ?? '', titleLength);
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

/** The stop as the memo keeps it: long texts cut. LoopState holds this same form, so that history tells it whole. */
export function shortened(stop: Stop): Stop {
  return {
    reason: stop.reason,
    detail: cut(stop.detail, detailLength),
    ...(stop.error !== undefined && {
      error: { type: stop.error.type, message: cut(stop.error.message, detailLength) },
    }),
  };
}

/** Cuts on a code point, with an ellipsis. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = text.slice(0, length - 1);
  return `${/[\uD800-\uDBFF]$/.test(end) ? end.slice(0, -1) : end}…`;
}
