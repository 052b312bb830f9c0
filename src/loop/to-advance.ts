/** From LoopState to the advance that the next command tells. Apart from its schema, which Workflow code need not load. */
import type { Advance } from './advance.ts';
import type { LoopState } from './loop-state.ts';

/** What the next command tells; the fact `told` clears it. */
export function toAdvance(state: LoopState): Advance {
  const { iteration, transcript, unsent } = state;
  return {
    iteration,
    upTo: transcript.count,
    append: [...unsent.append],
    ...(unsent.received.length > 0 && { received: [...unsent.received] }),
    digest: transcript.digest,
  };
}
