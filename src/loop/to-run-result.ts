/** From the state of a stopped run to its result. Apart from the schema, which Workflow code need not load. */
import type { LoopState } from './loop-state.ts';
import type { RunResult } from './run-result.ts';

/** The result of a stopped run. */
export function toRunResult(state: LoopState): RunResult {
  const {
    stop,
    transcript: { sealed, count },
  } = state;
  if (stop === undefined) throw new Error('the run has not stopped');
  const undelivered = state.inbox.map((waiting) => waiting.id);
  const late =
    undelivered.length === 0 ? '' : ` Messages that came too late: ${undelivered.join(', ')}.`;
  return {
    version: 1,
    output: state.output,
    stopReason: stop.reason,
    ...(state.lastResponse !== undefined && { finishReason: state.lastResponse.finishReason }),
    ended: `${stop.detail}${late}`,
    usage: state.usage,
    iterations: state.iteration,
    ...(state.repairs.length > 0 && { repairs: [...state.repairs] }),
    ...(sealed?.messages === count && { transcript: sealed }),
    undelivered,
  };
}
