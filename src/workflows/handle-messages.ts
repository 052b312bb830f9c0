/** Takes the messages of a run: what each does with LoopState. */
import { currentUpdateInfo, setDefaultSignalHandler, setHandler } from '@temporalio/workflow';
import { totalUsage } from '../loop/children.ts';
import { isInboxFull } from '../loop/decide.ts';
import { failureType } from '../loop/failure-types.ts';
import { wasReceived } from '../loop/inbox.ts';
import type { LoopState } from '../loop/loop-state.ts';
import { isSendInput, sendProblem } from '../loop/read-input.ts';
import { receivedFact } from '../loop/received-signal.ts';
import type { SendInput } from '../loop/run-input.ts';
import { utf8Length } from '../loop/utf8-length.ts';
import { messagesPage, pendingView, stateView } from '../loop/views.ts';
import { handleControls, rejection, takeFact, takeSignal } from './handle-controls.ts';
import { handleFork, takeForkSignal } from './handle-fork.ts';
import type { SendReceipt } from './messages.ts';
import { messages, pending, send, sendSignal, state, usage } from './messages.ts';
import type { Run } from './run.ts';

/** Registers every handler. Handlers are synchronous and only change LoopState. */
export function handleMessages(run: Run): void {
  // What came before the Workflow had begun is handed out as handlers are registered, name by name: one for all
  // Signals comes first, so that they are taken in their order and before Updates, as history tells them.
  setDefaultSignalHandler((name, payload) => takeAnySignal(run, name, payload));
  setHandler(send, (payload) => receive(run, payload), {
    validator: (payload) => validateSend(run, payload),
    description: 'Gives the run a user message, read at the next boundary.',
  });
  setHandler(sendSignal, (payload) => takeSignal(run, 'send', payload), {
    description: 'Gives the run a user message without an answer.',
  });
  handleControls(run);
  handleFork(run);
  setHandler(state, () => stateView(run.state));
  setHandler(messages, (since, limit) => messagesPage(run.state, since, limit));
  setHandler(pending, () => pendingView(run.state));
  setHandler(usage, () => totalUsage(run.state));
}

function takeAnySignal(run: Run, name: string, payload: unknown): void {
  if (name === 'fork') takeForkSignal(run, payload);
  else takeSignal(run, name, payload);
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
  takeFact(run, receivedFact(payload, id, run.now()));
  return { position: positionOf(run.state, id) };
}

function idOf({ id = currentUpdateInfo()?.id }: SendInput): string {
  if (id === undefined) throw new Error('send was handled outside an Update');
  return id;
}

function positionOf({ seen }: LoopState, id: string): number {
  const position = seen.find((entry) => entry.id === id)?.position;
  if (position === undefined) throw new Error(`message ${id} was received and is not known`);
  return position;
}
