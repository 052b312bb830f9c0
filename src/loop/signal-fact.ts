/** What a Signal comes to, in the Workflow and in its projection alike. */
import { controlProblem, isControlName, toControlFact } from './control.ts';
import type { Fact } from './fact.ts';
import { forkProblem } from './fork-request.ts';
import type { LoopState } from './loop-state.ts';
import { receivedSignal } from './received-signal.ts';

/**
 * The fact for a Signal of that name; undefined for one that is none of ours. What the run cannot take is
 * refused: nobody waits for an answer.
 * @param at Workflow time in milliseconds since the epoch
 */
export function signalFact(
  state: LoopState,
  name: string,
  payload: unknown,
  at: number,
): Exclude<Fact, { type: 'run-started' }> | undefined {
  if (name === 'send') return receivedSignal(state, payload, at);
  if (name === 'fork') {
    const isAllowed = state.stop === undefined && forkProblem(state, payload) === undefined;
    return isAllowed ? undefined : { type: 'message-refused' };
  }
  if (!isControlName(name)) return undefined;
  const isRefused =
    state.stop !== undefined || controlProblem(state, name, payload, at) !== undefined;
  return isRefused ? { type: 'message-refused' } : toControlFact(name, payload, at);
}
