/** The decisions of the loop: what a run does next, from LoopState alone. */

import { callsOf } from '../chat/calls-of.ts';
import { budgetStop } from './budget.ts';
import type { LoopState } from './loop-state.ts';
import { endsRun } from './plan-calls.ts';
import type { Stop } from './stop.ts';

/** Provider pauses gone on with in a row, before the run takes the answer as it is: a provider that pauses for ever must not bill for ever. */
const maxPauses = 8;

/** What follows a model call: run its tools, ask the model again, or stop. */
export type Next =
  | { readonly kind: 'tools' }
  | { readonly kind: 'iterate' }
  | { readonly kind: 'stop'; readonly stop: Stop };

/**
 * What follows the response that has just been appended. Decides on the presence of calls, not on the
 * finish reason alone: providers name it wrongly.
 */
export function afterModel(state: LoopState): Next {
  // First: a call that did not stop in time left no response.
  if (state.cancelRequested) return { kind: 'stop', stop: cancelled };
  if (state.halt !== undefined) return { kind: 'stop', stop: state.halt };
  const response = state.lastResponse;
  if (response === undefined) throw new Error('no response to decide on');
  if (response.interrupted === true) return { kind: 'iterate' };
  const reason = response.finishReason;
  const hasCalls = callsOf(response.message).length > 0;
  // With calls it is no mere pause: they need their results before the message can go back.
  if (response.providerPause && !hasCalls && state.pauses <= maxPauses) return { kind: 'iterate' };
  if (endsRun(reason)) return completed(`The model ended with ${reason}.`);
  if (hasCalls) return { kind: 'tools' };
  if (state.inbox.length > 0) return { kind: 'iterate' };
  if (reason !== 'length') return completed('The model finished its answer.');
  return state.agent?.continueOnLength === true
    ? { kind: 'iterate' }
    : completed('The answer was cut at its length limit.');
}

/**
 * Why the loop is left before another iteration, or undefined when it goes on.
 * @param now Workflow time in milliseconds since the epoch
 */
export function beforeIteration(state: LoopState, now: number): Stop | undefined {
  if (state.cancelRequested) return cancelled;
  if (state.halt !== undefined) return state.halt;
  if (state.iteration < state.maxIterations) return budgetStop(state, now);
  return {
    reason: 'max_iterations',
    detail: `The run reached its limit of ${state.maxIterations} iterations.`,
  };
}

/** The run was cancelled from outside. */
export const cancelled: Stop = { reason: 'cancelled', detail: 'The run was cancelled.' };

/** The stop for an error; once cancellation is requested every later failure counts as cancelled. */
export function stopForError(state: LoopState, errorType: string, detail: string): Stop {
  return state.cancelRequested ? cancelled : { reason: 'error', detail, errorType };
}

function completed(detail: string): Next {
  return { kind: 'stop', stop: { reason: 'completed', detail } };
}

/** Whether the run goes no further than where it is. */
export function isStopping(state: LoopState): boolean {
  return state.cancelRequested || state.halt !== undefined;
}

/** Bytes of messages that may wait at once: what is read at one boundary goes into history and request together. */
const maxInboxBytes = 8 * 1024 * 1024;

/** Messages that may wait at once: their ids are told in one input. */
const maxInboxMessages = 1_000;

/** Whether no further message can wait. */
export function isInboxFull(state: LoopState): boolean {
  if (state.inbox.length >= maxInboxMessages) return true;
  return state.inbox.reduce((sum, waiting) => sum + waiting.bytes, 0) >= maxInboxBytes;
}

/** The user messages that the next iteration takes from the inbox, by id, in the order of arrival. */
export function receivable(state: LoopState): readonly string[] {
  return state.inbox.map((waiting) => waiting.id);
}
