/** The events of calls that wait for somebody: what began to wait with a step of the fold, and what ended its wait. */
import type { DurableEventTable } from '../loop/events.ts';
import type { LoopState, PendingToolCall } from '../loop/loop-state.ts';
import { isPausedHere } from '../loop/run-status.ts';
import type { Step } from './run-projection.ts';

type WaitEventType =
  | 'approval-request'
  | 'approval-decision'
  | 'question'
  | 'answer'
  | 'budget-extended'
  | 'budget-wait'
  | 'paused'
  | 'resumed';

/** An event without where it stands. */
export type WaitEvent = {
  [Type in WaitEventType]: { readonly type: Type; readonly data: DurableEventTable[Type] };
}[WaitEventType];

type Awaiting = Extract<PendingToolCall, { status: 'awaiting' }>;

/** What the step tells of waits: first those that ended, then those that began. */
export function waitEvents({ fact, before, after }: Step): readonly WaitEvent[] {
  if (before === undefined) return [];
  const waited = awaiting(before);
  const waits = awaiting(after);
  const ended = waited.filter((each) => !waits.some((other) => isSame(each, other)));
  const begun = waits.filter((each) => !waited.some((other) => isSame(each, other)));
  return [
    ...ended.map((each) => endEvent(each, fact, after)),
    ...begun.map(beginEvent),
    ...budgetEvents(after, fact),
    ...pauseEvents(before, after, fact),
  ];
}

function budgetEvents({ budgetWait }: LoopState, fact: Step['fact']): readonly WaitEvent[] {
  if (fact.type === 'budget-extended') return [{ type: 'budget-extended', data: fact.budget }];
  if (fact.type !== 'budget-awaited' || budgetWait === undefined) return [];
  return [{ type: 'budget-wait', data: { deadline: budgetWait.deadline } }];
}

function awaiting({ pendingToolCalls }: LoopState): readonly Awaiting[] {
  return pendingToolCalls.flatMap((pending) => (pending.status === 'awaiting' ? [pending] : []));
}

function isSame(one: Awaiting, other: Awaiting): boolean {
  return one.call.id === other.call.id && one.wait.kind === other.wait.kind;
}

function beginEvent({ call, wait }: Awaiting): WaitEvent {
  const asked = {
    callId: call.id,
    name: call.name,
    input: call.arguments ?? '',
    ...(wait.deadline !== undefined && { deadline: wait.deadline }),
  };
  if (wait.kind === 'answer') return { type: 'question', data: asked };
  const { question } = wait;
  return {
    type: 'approval-request',
    data: { ...asked, ...(question !== undefined && { question }) },
  };
}

function endEvent({ call, wait }: Awaiting, fact: Step['fact'], after: LoopState): WaitEvent {
  const { id: callId, name } = call;
  if (wait.kind === 'answer') {
    const given = fact.type === 'answered' ? fact.answer : undefined;
    const status = given === undefined ? overtaken(fact) : ('answered' as const);
    const by = given?.by;
    return { type: 'answer', data: { callId, name, status, ...(by !== undefined && { by }) } };
  }
  if (fact.type !== 'decided') {
    return { type: 'approval-decision', data: { callId, name, decision: overtaken(fact) } };
  }
  const { decision, input, reason, by } = fact.decision;
  // One that is remembered decides on the other calls of the tool as well, with the input they have.
  const isMeant = fact.decision.callId === callId;
  const isDenied = after.pendingToolCalls.some(
    (pending) => pending.call.id === callId && pending.status === 'settled',
  );
  return {
    type: 'approval-decision',
    data: {
      callId,
      name,
      decision: isMeant ? decision : isDenied ? 'deny' : 'allow',
      ...(isMeant && input !== undefined && { input }),
      ...(reason !== undefined && { reason }),
      ...(by !== undefined && { by }),
    },
  };
}

function overtaken({ type }: Step['fact']): 'timeout' | 'interrupted' {
  return type === 'waits-expired' ? 'timeout' : 'interrupted';
}

function pauseEvents(
  before: LoopState,
  after: LoopState,
  fact: Step['fact'],
): readonly WaitEvent[] {
  const { by, reason } = (fact.type === 'resumed' ? fact : after.paused) ?? {};
  const data = { ...(by !== undefined && { by }), ...(reason !== undefined && { reason }) };
  if (isPausedHere(after) && !isPausedHere(before)) return [{ type: 'paused', data }];
  if (fact.type === 'resumed' && isPausedHere(before)) return [{ type: 'resumed', data }];
  return [];
}
