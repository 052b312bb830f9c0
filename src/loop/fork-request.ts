/** What the Update and the Signal `fork` ask for, and what can be wrong with it; no schema is loaded, see `userMessageProblem`. */

import { callsOf } from '../chat/calls-of.ts';
import { isRecord } from '../chat/is-record.ts';
import { isText, userMessageProblem } from '../chat/user-message-problem.ts';
import { failureType } from './failure-types.ts';
import type { Edit } from './from-point.ts';
import type { LoopState } from './loop-state.ts';
import type { UserInput } from './run-input.ts';

/** The argument of `fork`. */
export interface ForkRequest {
  /** The last message that the forks inherit: its index from 0, or its id; the newest when absent. */
  readonly at?: number | string;
  /** What that message becomes in the forks. */
  readonly edit?: Edit;
  /** What the user says next, in each of them. */
  readonly input?: UserInput;
  /** Another agent goes on. */
  readonly agent?: string;
  readonly title?: string;
  readonly maxIterations?: number;
  /** How many; one when absent. */
  readonly count?: number;
}

/** Answer of `fork`: the ids of the new runs. */
export interface ForkReceipt {
  readonly runs: readonly string[];
}

/** Forks that one request may make: each of them costs model calls of its own. */
const maxForks = 20;

/** Longest name of an agent: Temporal takes search attributes of limited length. */
const maxAgent = 200;

const members = ['at', 'edit', 'input', 'agent', 'title', 'maxIterations', 'count'];

/** What keeps a value from being the argument of `fork`, whatever the run. */
export function forkShapeProblem(payload: unknown): string | undefined {
  if (payload === undefined || payload === null) return undefined;
  if (!isRecord(payload)) return 'fork: must be an object';
  const strange = Object.keys(payload).find((key) => !members.includes(key));
  if (strange !== undefined) return `fork: has a member ${JSON.stringify(strange)} too many`;
  const { at, edit, input, agent, title, maxIterations, count } = payload;
  if (at !== undefined && !isText(at) && !isIndex(at)) {
    return 'fork.at: must be the index of a message from 0, or its id';
  }
  if (edit !== undefined && !isText(edit) && !isMessage(edit)) {
    return 'fork.edit: must be text or a message';
  }
  if (input !== undefined && !isText(input)) {
    const problem = userMessageProblem(input);
    if (problem !== undefined) return `fork.input: ${problem}`;
  }
  if (agent !== undefined && !(isText(agent) && agent.length <= maxAgent)) {
    return 'fork.agent: must be the name of an agent';
  }
  if (title !== undefined && !isText(title)) return 'fork.title: must be text';
  if (maxIterations !== undefined && !isCount(maxIterations)) {
    return 'fork.maxIterations: must be from 1';
  }
  if (count !== undefined && !(isCount(count) && Number(count) <= maxForks)) {
    return `fork.count: must be from 1 to ${maxForks}`;
  }
  return undefined;
}

/** Index of the newest message after which the run can be forked: calls without their results are left out. */
export function newestForkPoint({ transcript, pendingToolCalls }: LoopState): number {
  return transcript.count - 1 - (pendingToolCalls.length > 0 ? 1 : 0);
}

/** Why the run cannot be forked like that, as far as its state tells; failure type and text. */
export function forkProblem(
  state: LoopState,
  payload: unknown,
): { readonly type: string; readonly text: string } | undefined {
  const shape = forkShapeProblem(payload);
  if (shape !== undefined) return { type: failureType.rejected, text: shape };
  const { at, input, edit } = toForkRequest(payload);
  const { transcript, agent } = state;
  if (agent === undefined || transcript.count === 0) {
    return { type: failureType.rejected, text: 'The run has no messages yet.' };
  }
  if (typeof at === 'number' && at >= transcript.count) {
    const text = `There is no message ${at}: the run has ${transcript.count}, counted from 0.`;
    return { type: failureType.noSuchPoint, text };
  }
  const index = at ?? newestForkPoint(state);
  if (typeof index !== 'number' || input !== undefined || edit !== undefined) return undefined;
  const last = transcript.tail[index - (transcript.count - transcript.tail.length)];
  if (last?.role !== 'assistant' || callsOf(last).length > 0) return undefined;
  return {
    type: failureType.inputRequired,
    text: `Message ${index} is an answer: say what the fork is to go on with (input).`,
  };
}

/** The request that a payload without a problem is. */
export function toForkRequest(payload: unknown): ForkRequest {
  return isRecord(payload) ? payload : {};
}

function isIndex(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

function isMessage(value: unknown): boolean {
  return isRecord(value) && isText(value['role']) && Array.isArray(value['parts']);
}
