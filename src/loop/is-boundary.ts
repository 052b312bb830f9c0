/** The facts after which LoopState is compared and kept: where a run can be looked at, and gone on from. */
import type { Fact } from './fact.ts';

/** True once a point was found to go on from, after an iteration, after the decision to stop, and at the end. */
export function isBoundary({ type }: Fact): boolean {
  return (
    type === 'restored' || type === 'iteration-ended' || type === 'stopped' || type === 'ended'
  );
}
