/** How a command tells what the Workflow decided since the last one: the run's advance. */
import type { Advance } from './calls.ts';
import type { LoopState } from './loop-state.ts';

/** What the next command tells; the fact `told` clears it. */
export function advanceOf(state: LoopState): Advance {
  const { iteration, transcript, unsent } = state;
  return {
    iteration,
    upTo: transcript.count,
    append: [...unsent.append],
    ...(unsent.received.length > 0 && { received: [...unsent.received] }),
    digest: transcript.digest,
  };
}
