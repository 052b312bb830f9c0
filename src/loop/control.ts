/** What people tell a run beside messages: decisions, answers, pauses. Payloads, what can be wrong with them, and the facts that they become. */
import { isRecord } from '../chat/is-record.ts';
import type { JsonObject, JsonValue } from '../chat/json.ts';
import { isText } from '../chat/user-message-problem.ts';
import type { ExtendBudgetInput } from './budget-extension.ts';
import { extendBudgetProblem } from './budget-extension.ts';
import type { Fact } from './fact.ts';
import type { LoopState } from './loop-state.ts';
import { utf8Length } from './utf8-length.ts';
import { awaitingCall } from './wait.ts';

/** A decision on a call that waits for approval. `edit` runs it with another input. */
export interface DecideInput {
  readonly callId: string;
  readonly decision: 'allow' | 'deny' | 'edit';
  /** The input to run it with; with `edit` only. */
  readonly input?: JsonObject;
  /** The model is told why it was denied. */
  readonly reason?: string;
  readonly by?: string;
  /** Further calls of the same tool need no approval in this run. */
  readonly remember?: boolean;
}

/** The answer to a call that somebody outside answers: a text, or a JSON value. */
export interface AnswerInput {
  readonly callId: string;
  readonly answer: JsonValue;
  /** The call failed, and the answer says how. */
  readonly isError?: boolean;
  readonly by?: string;
}

/** Who pauses or resumes a run, and why. */
export interface PauseInput {
  readonly by?: string;
  readonly reason?: string;
}

/** Names of the messages that control a run. */
export const controlNames = ['decide', 'answer', 'pause', 'resume', 'extendBudget'] as const;
/** One of these names. */
export type ControlName = (typeof controlNames)[number];

/** Whether messages of that name control a run. */
export function isControlName(name: string): name is ControlName {
  return controlNames.some((known) => known === name);
}

/** Largest answer or edited input, UTF-8 bytes of its JSON text: it stands in LoopState until its call is closed. */
const maxPayload = 256 * 1024;
/** Longest reason and name of a person. */
const maxText = 2_000;

/**
 * What keeps the run from taking the payload now; undefined when it can be applied.
 * @param now Workflow time in milliseconds since the epoch
 */
export function controlProblem(
  state: LoopState,
  name: ControlName,
  payload: unknown,
  now: number,
): string | undefined {
  if (name === 'extendBudget') return extendBudgetProblem(payload, state);
  const problem = shapeProblem(name, payload);
  if (problem !== undefined) return problem;
  if (name === 'pause' || name === 'resume') return pauseProblem(state, name);
  const { callId } = payload as DecideInput | AnswerInput;
  const wanted = name === 'decide' ? 'approval' : 'answer';
  const awaiting = awaitingCall(state, callId, wanted);
  if (awaiting === undefined) return notAwaiting(state, callId, wanted);
  const { deadline } = awaiting.wait;
  if (deadline === undefined || deadline > now) return undefined;
  return `${name}: the time for call ${callId} is over`;
}

function notAwaiting({ pendingToolCalls }: LoopState, callId: string, wanted: string): string {
  const pending = pendingToolCalls.find(({ call }) => call.id === callId);
  if (pending === undefined) {
    return `no call ${callId} is open: it has its result already, or was never made`;
  }
  if (pending.status === 'awaiting') {
    return `call ${callId} waits for an ${pending.wait.kind}, not for an ${wanted}`;
  }
  return `call ${callId} does not wait for an ${wanted}: it is ${pending.status} (decided already, or never asked about)`;
}

function pauseProblem(state: LoopState, name: 'pause' | 'resume'): string | undefined {
  const isPaused = state.paused !== undefined;
  if (name === 'pause') return isPaused ? 'the run is paused already' : undefined;
  return isPaused ? undefined : 'the run is not paused';
}

/** The fact that a payload becomes once nothing is wrong with it. */
export function toControlFact(
  name: ControlName,
  payload: unknown,
  at: number,
): Extract<Fact, { type: 'decided' | 'answered' | 'paused' | 'resumed' | 'budget-extended' }> {
  switch (name) {
    case 'decide':
      return { type: 'decided', at, decision: payload as DecideInput };
    case 'answer':
      return { type: 'answered', at, answer: payload as AnswerInput };
    case 'pause':
      return { type: 'paused', at, ...whoAndWhy(payload) };
    case 'resume':
      return { type: 'resumed', at, ...whoAndWhy(payload) };
    case 'extendBudget':
      return { type: 'budget-extended', at, budget: payload as ExtendBudgetInput };
  }
}

function whoAndWhy(payload: unknown): PauseInput {
  const { by, reason } = (payload ?? {}) as PauseInput;
  return { ...(by !== undefined && { by }), ...(reason !== undefined && { reason }) };
}

const members: Readonly<Record<ShapedName, readonly string[]>> = {
  decide: ['callId', 'decision', 'input', 'reason', 'by', 'remember'],
  answer: ['callId', 'answer', 'isError', 'by'],
  pause: ['by', 'reason'],
  resume: ['by', 'reason'],
};

/** The messages whose members are looked at here. */
type ShapedName = Exclude<ControlName, 'extendBudget'>;

function shapeProblem(name: ShapedName, payload: unknown): string | undefined {
  const isOptional = name === 'pause' || name === 'resume';
  if (isOptional && (payload === undefined || payload === null)) return undefined;
  if (!isRecord(payload)) return `${name}: must be an object`;
  const strange = Object.keys(payload).find((key) => !members[name].includes(key));
  if (strange !== undefined)
    return `${name}: has a member ${JSON.stringify(strange)} too many; it takes ${members[name].join(', ')}`;
  for (const key of ['by', 'reason']) {
    const value = payload[key];
    if (value !== undefined && (typeof value !== 'string' || value.length > maxText)) {
      return `${name}.${key}: must be text of at most ${maxText} characters`;
    }
  }
  if (isOptional) return undefined;
  if (!isText(payload['callId'])) return `${name}.callId: must be the id of a tool call`;
  if (utf8Length(JSON.stringify(payload)) > maxPayload) {
    return `${name}: has more than ${maxPayload} bytes`;
  }
  return name === 'decide' ? decisionProblem(payload) : answerProblem(payload);
}

function decisionProblem(payload: Record<string, unknown>): string | undefined {
  const { decision, input, remember } = payload;
  if (decision !== 'allow' && decision !== 'deny' && decision !== 'edit') {
    return 'decide.decision: must be "allow", "deny" or "edit"';
  }
  if (decision === 'edit' && !isRecord(input)) {
    return 'decide.input: must be the JSON object to run the call with';
  }
  if (decision !== 'edit' && input !== undefined) return 'decide.input: goes with "edit" only';
  if (remember !== undefined && typeof remember !== 'boolean') {
    return 'decide.remember: must be true or false';
  }
  return undefined;
}

function answerProblem({ answer, isError }: Record<string, unknown>): string | undefined {
  if (answer === undefined) return 'answer.answer: must be text or a JSON value';
  if (isError !== undefined && typeof isError !== 'boolean') {
    return 'answer.isError: must be true or false';
  }
  return undefined;
}
