/** What a run comes to. */
import * as z from 'zod/mini';
import { FinishReason } from '../chat/finish-reason.ts';
import { UsageTotal } from '../chat/usage.ts';
import { outputOf } from './decide.ts';
import type { LoopState } from './loop-state.ts';
import { StopReason } from './stop.ts';

export const RunResult = z.object({
  version: z.literal(1),
  /** Text of the last assistant message; '' when there is none. */
  output: z.string(),
  stopReason: StopReason,
  finishReason: z.optional(FinishReason),
  /** One plain sentence: why it ended, and what stayed open. */
  ended: z.string(),
  usage: UsageTotal,
  iterations: z.int(),
  /** Ids of the user messages that came too late to be read. */
  undelivered: z.array(z.string()),
});
export type RunResult = z.infer<typeof RunResult>;

/** The result of a stopped run. */
export function toRunResult(state: LoopState): RunResult {
  const { stop } = state;
  if (stop === undefined) throw new Error('the run has not stopped');
  const undelivered = state.inbox.map((waiting) => waiting.id);
  const late =
    undelivered.length === 0 ? '' : ` Messages that came too late: ${undelivered.join(', ')}.`;
  return {
    version: 1,
    output: outputOf(state.transcript.tail),
    stopReason: stop.reason,
    ...(state.lastResponse !== undefined && { finishReason: state.lastResponse.finishReason }),
    ended: `${stop.detail}${late}`,
    usage: state.usage,
    iterations: state.iteration,
    undelivered,
  };
}
