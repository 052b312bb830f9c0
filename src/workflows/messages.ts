/** The messages of a run: names, payloads and handlers. A public contract: any Temporal client and the `temporal` CLI may use them. */
import { ApplicationFailure } from '@temporalio/common';
import {
  currentUpdateInfo,
  defineQuery,
  defineSignal,
  defineUpdate,
  setHandler,
} from '@temporalio/workflow';
import type { UsageTotal } from '../chat/usage.ts';
import { isInboxFull } from '../loop/decide.ts';
import { failureType } from '../loop/failure-types.ts';
import { wasReceived } from '../loop/inbox.ts';
import type { LoopState } from '../loop/loop-state.ts';
import { isSendInput, sendProblem } from '../loop/read-input.ts';
import { receivedSignal } from '../loop/received-signal.ts';
import type { SendInput } from '../loop/run-input.ts';
import { toUserMessage } from '../loop/to-user-message.ts';
import { utf8Length } from '../loop/utf8-length.ts';
import type { MessagesPage, PendingView, StateView } from '../loop/views.ts';
import { messagesPage, pendingView, stateView } from '../loop/views.ts';
import type { Run } from './run.ts';

/** Answer of `send`: the message's place among all that the run received, from 1. */
export interface SendReceipt {
  readonly position: number;
}

/** Gives the run a user message. The same id gets the same answer and is appended once. */
export const send = defineUpdate<SendReceipt, [SendInput]>('send');
/** The same by Signal, for clients without Updates: no receipt, and what the run cannot take is counted as refused. */
export const sendSignal = defineSignal<[SendInput]>('send');
/** Where the run is. */
export const state = defineQuery<StateView>('state');
/** The transcript, by pages. */
export const messages = defineQuery<MessagesPage, [number?, number?]>('messages');
/** The tool calls that are on their way. */
export const pending = defineQuery<readonly PendingView[]>('pending');
/** Tokens used so far. */
export const usage = defineQuery<UsageTotal>('usage');

/** Registers every handler. Handlers are synchronous and only change LoopState. */
export function handleMessages(run: Run): void {
  setHandler(send, (payload) => receive(run, payload), {
    validator: (payload) => validateSend(run, payload),
    description: 'Gives the run a user message, read at the next boundary.',
  });
  setHandler(sendSignal, (payload) => receiveSignal(run, payload), {
    description: 'Gives the run a user message without an answer.',
  });
  setHandler(state, () => stateView(run.state));
  setHandler(messages, (since, limit) => messagesPage(run.state, since, limit));
  setHandler(pending, () => pendingView(run.state));
  setHandler(usage, () => run.state.usage);
}

function validateSend(run: Run, payload: unknown): void {
  const problem = sendProblem(payload);
  if (problem !== undefined) throw rejection(failureType.rejected, problem);
  // Sent again because its answer was lost: the answer is the same, whatever the run does meanwhile.
  if (isSendInput(payload) && wasReceived(run.state, idOf(payload))) return;
  if (run.stopped) {
    throw rejection(failureType.runEnding, 'The run is ending and reads no more messages.');
  }
  if (isInboxFull(run.state) || !run.admit(utf8Length(JSON.stringify(payload)))) {
    throw rejection(
      failureType.inboxFull,
      'Too much has come at once. Send it again in a moment, or after the next iteration.',
    );
  }
}

function receive(run: Run, payload: SendInput): SendReceipt {
  const id = idOf(payload);
  const message = toUserMessage(payload.message);
  run.apply({ type: 'message-received', at: run.now(), id, message });
  return { position: positionOf(run.state, id) };
}

function idOf({ id = currentUpdateInfo()?.id }: SendInput): string {
  if (id === undefined) throw new Error('send was handled outside an Update');
  return id;
}

/** A Signal is never rejected: the sender would not hear of it. Nothing it holds may throw either. */
function receiveSignal(run: Run, payload: unknown): void {
  run.apply(receivedSignal(run.state, payload, run.now()));
}

function positionOf({ seen }: LoopState, id: string): number {
  const position = seen.find((entry) => entry.id === id)?.position;
  if (position === undefined) throw new Error(`message ${id} was received and is not known`);
  return position;
}

function rejection(type: string, message: string): ApplicationFailure {
  return ApplicationFailure.create({ type, message, nonRetryable: true });
}
