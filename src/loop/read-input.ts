/** Looks at what others send to a run, in Workflow code and in its projection alike: no schema is loaded, see `userMessageProblem`. */
import { isRecord } from '../chat/is-record.ts';
import { isText, userMessageProblem } from '../chat/user-message-problem.ts';
import { isBudgetOfStart } from './budget-extension.ts';
import type { PointArgument } from './from-point.ts';
import type { AgentRunInput, SendInput, StateArgument } from './run-input.ts';

/** Longest id of a message: it is kept in the state for good, to tell a message that comes again. */
const maxId = 200;

/**
 * What keeps a value from being a Workflow's argument, as far as the Workflow itself looks at it. The whole
 * of it is checked by resolving the agent, which has the schemas.
 */
export function runInputProblem(input: unknown): string | undefined {
  if (isRecord(input) && isRecord(input['from'])) {
    const { from } = input;
    return 'point' in from ? pointProblem(from) : fromProblem(from);
  }
  const start = isRecord(input) ? input['start'] : undefined;
  if (!isRecord(start)) return 'input.start: must be what a run starts with';
  const { agent, input: said, maxIterations, budget, title, metadata, history } = start;
  const problems = [
    isText(agent) ? [] : 'input.start.agent: must be the name of an agent',
    isInput(said) ? [] : 'input.start.input: must be text or a user message',
    isAbsentOr(maxIterations, isCount) ? [] : 'input.start.maxIterations: must be from 1',
    isAbsentOr(budget, isBudgetOfStart) ? [] : 'input.start.budget: must hold positive limits',
    isAbsentOr(title, (value) => typeof value === 'string')
      ? []
      : 'input.start.title: must be text',
    isAbsentOr(metadata, isRecord) ? [] : 'input.start.metadata: must be an object',
    isAbsentOr(history, Array.isArray) ? [] : 'input.start.history: must be a list of messages',
  ].flat();
  return problems.length === 0 ? undefined : problems.join('; ');
}

/** Runs write this themselves; what is looked at is what anyone else would get wrong first. */
function fromProblem({ state, previous }: Record<string, unknown>): string | undefined {
  const isPrevious = isRecord(previous) && isText(previous['temporalRunId']);
  if (!isPrevious) return 'input.from.previous: must name the Temporal run that went before';
  const isState =
    isRecord(state) &&
    state['version'] === 1 &&
    isRecord(state['start']) &&
    isRecord(state['agent']) &&
    isRecord(state['transcript']) &&
    Array.isArray(state['transcript']['tail']) &&
    Array.isArray(state['inbox']) &&
    Array.isArray(state['seen']) &&
    Array.isArray(state['pendingToolCalls']);
  return isState ? undefined : 'input.from.state: must be the LoopState of a run';
}

/** The restoring Activity, which has the schemas, checks the whole of it. */
function pointProblem({ point, previous, input }: Record<string, unknown>): string | undefined {
  const isPoint = isRecord(point) && isText(point['runId']) && isText(point['temporalRunId']);
  if (!isPoint) return 'input.from.point: must name a run and one of its Temporal runs';
  const isPrevious =
    isRecord(previous) &&
    isText(previous['temporalRunId']) &&
    (previous['how'] === 'forked' ||
      previous['how'] === 'rewound' ||
      previous['how'] === 'retried');
  if (!isPrevious) return 'input.from.previous: must say what went before, and how it is left';
  return isAbsentOr(input, isInput)
    ? undefined
    : 'input.from.input: must be text or a user message';
}

/** Whether the run goes on from a point of another history. */
export function isPointArgument(input: AgentRunInput): input is PointArgument {
  return 'from' in input && 'point' in input.from;
}

/** Whether the run goes on from a state that it carries. */
export function isStateArgument(input: AgentRunInput): input is StateArgument {
  return 'from' in input && 'state' in input.from;
}

/** Whether the Workflow can begin with the value. */
export function isRunInput(input: unknown): input is AgentRunInput {
  return runInputProblem(input) === undefined;
}

/** What keeps a value from being the argument of the Update `send`. */
export function sendProblem(payload: unknown): string | undefined {
  if (!isRecord(payload)) return 'send: must be an object with a message';
  const { id, message, mode, ...strange } = payload;
  const [name] = Object.keys(strange);
  if (name !== undefined) return `send: has a member ${JSON.stringify(name)} too many`;
  if (!isAbsentOr(id, (value) => isText(value) && value.length <= maxId)) {
    return `send.id: must be text of at most ${maxId} characters`;
  }
  if (mode !== undefined && mode !== 'queue' && mode !== 'steer' && mode !== 'interrupt') {
    return 'send.mode: must be "queue", "steer" or "interrupt"';
  }
  const problem = isText(message) ? undefined : userMessageProblem(message);
  return problem === undefined ? undefined : `send.message: ${problem}`;
}

/** Whether the value can be taken as a message to the run. */
export function isSendInput(payload: unknown): payload is SendInput {
  return sendProblem(payload) === undefined;
}

/** Deep enough for a title and a first message; the rest is the schema's. */
function isInput(input: unknown): boolean {
  if (!isRecord(input)) return isText(input);
  const { role, parts } = input;
  return role === 'user' && Array.isArray(parts) && parts.every(isPart);
}

function isPart(part: unknown): boolean {
  return isRecord(part) && (part['kind'] !== 'text' || isText(part['text']));
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

function isAbsentOr(value: unknown, is: (value: unknown) => boolean): boolean {
  return value === undefined || is(value);
}
