/** The calls of a run that wait for somebody: which there are, and which are meant. */
import type { RunSnapshot } from '../client/run-snapshot.ts';
import { EverloopError } from '../everloop-error.ts';
import type { PendingToolCall, Wait } from '../loop/loop-state.ts';
import { counted } from './format.ts';
import { formatCall } from './format-transcript.ts';

/** A call that waits. */
export type WaitingCall = Extract<PendingToolCall, { status: 'awaiting' }>;

/** Longest line of a call. */
const callLength = 100;

/** Calls that a list names one by one. */
const namedCalls = 20;

/** The calls that wait, for an approval or an answer, in the order of the response. */
export function waitingCalls(
  { state }: Pick<RunSnapshot, 'state'>,
  kind: Wait['kind'],
): readonly WaitingCall[] {
  return (state?.pendingToolCalls ?? []).flatMap((pending) =>
    pending.status === 'awaiting' && pending.wait.kind === kind ? [pending] : [],
  );
}

/** A call on one line, with its id. */
export function waitingCallLine({ call }: Pick<PendingToolCall, 'call'>): string {
  return `${callText(call.name, call.arguments)} (${call.id})`;
}

/** Name and input of a call on one line. */
export function callText(name: string, input: string | undefined): string {
  return formatCall(name, input, callLength);
}

/**
 * The calls that are meant: those named, all, or else the only one that waits for approval.
 * @throws EverloopError `invalid_input` when it is not clear which is meant; `rejected` for one that does not wait
 */
export function chosenCalls(
  run: Pick<RunSnapshot, 'id' | 'state'>,
  ids: readonly string[],
  all: boolean,
): readonly WaitingCall[] {
  const waiting = waitingCalls(run, 'approval');
  if (ids.length > 0) return [...new Set(ids)].map((id) => named(run, waiting, id));
  if (waiting.length === 1 || (all && waiting.length > 0)) return waiting;
  if (waiting.length === 0) {
    throw new EverloopError('invalid_input', `no call of run ${run.id} waits for approval`, {
      hint: hintWithout(run),
    });
  }
  throw new EverloopError(
    'invalid_input',
    `${counted(waiting.length, 'call')} of run ${run.id} wait for approval: say which\n${list(waiting)}`,
    { hint: 'name one or more by their ids, or say --all' },
  );
}

function named(
  run: Pick<RunSnapshot, 'id' | 'state'>,
  waiting: readonly WaitingCall[],
  id: string,
): WaitingCall {
  const found = waiting.find(({ call }) => call.id === id);
  if (found !== undefined) return found;
  const others = waiting.length === 0 ? '' : `; these do:\n${list(waiting)}`;
  throw new EverloopError(
    'rejected',
    `call ${id} of run ${run.id} does not wait for approval${others}`,
    { hint: hintWithout(run) },
  );
}

function list(waiting: readonly WaitingCall[]): string {
  const lines = waiting.slice(0, namedCalls).map((each) => `  ${waitingCallLine(each)}`);
  const more = waiting.length - namedCalls;
  return [...lines, ...(more > 0 ? [`  and ${more} more`] : [])].join('\n');
}

function hintWithout({ id, state }: Pick<RunSnapshot, 'id' | 'state'>): string {
  const isParent = state?.children?.some(({ stopReason }) => stopReason === undefined) === true;
  const where = `see where it stands: everloop show ${id}`;
  return isParent ? `its sub-agents are runs of their own and may wait; ${where}` : where;
}
