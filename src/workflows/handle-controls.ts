/** Takes the control messages of a run: decisions, answers, pauses, more budget. Each is an Update, and a Signal of the same name for clients without Updates. */
import { ApplicationFailure } from '@temporalio/common';
import { defineSignal, defineUpdate, setHandler } from '@temporalio/workflow';
import type { ControlName } from '../loop/control.ts';
import { controlNames, controlProblem, toControlFact } from '../loop/control.ts';
import type { Fact } from '../loop/fact.ts';
import { failureType } from '../loop/failure-types.ts';
import { signalFact } from '../loop/signal-fact.ts';
import { utf8Length } from '../loop/utf8-length.ts';
import type { Run } from './run.ts';

const descriptions: Readonly<Record<ControlName, string>> = {
  decide: 'Decides on a call that waits for approval.',
  answer: 'Answers a call that waits for an answer.',
  pause: 'Lets the run stand still at the next boundary.',
  resume: 'Lets a paused run go on.',
  extendBudget: "Adds to the limits of the run's budget.",
};

/** Registers the handlers. They are synchronous and only change LoopState. */
export function handleControls(run: Run): void {
  for (const name of controlNames) {
    const description = descriptions[name];
    // Anyone may send anything: the payload is looked at before it is taken for what the types say.
    setHandler(
      defineUpdate<void, [unknown?]>(name),
      (payload?: unknown) => take(run, name, payload),
      {
        validator: (payload?: unknown) => validate(run, name, payload),
        description,
      },
    );
    setHandler(
      defineSignal<[unknown?]>(name),
      (payload?: unknown) => takeSignal(run, name, payload),
      {
        description: `${description} Without an answer.`,
      },
    );
  }
}

function take(run: Run, name: ControlName, payload: unknown): void {
  run.apply(toControlFact(name, payload, run.now()));
}

function validate(run: Run, name: ControlName, payload: unknown): void {
  if (run.stopped) throw rejection(failureType.runEnding, 'The run is ending.');
  const problem = controlProblem(run.state, name, payload, run.glanceAtNow());
  if (problem !== undefined) throw rejection(failureType.rejected, problem);
  if (run.admit(utf8Length(JSON.stringify(payload ?? null)))) return;
  throw rejection(failureType.inboxFull, 'Too much has come at once. Tell it again in a moment.');
}

/** A Signal is never rejected: the sender would not hear of it. Nothing it holds may throw either. */
export function takeSignal(run: Run, name: string, payload: unknown): void {
  const fact = signalFact(run.state, name, payload, run.now());
  if (fact !== undefined) takeFact(run, fact);
}

/** Applies a fact that somebody told, and calls off what a message does not wait for: the model call in flight, running tools if it says so. */
export function takeFact(run: Run, fact: Exclude<Fact, { type: 'run-started' }>): void {
  const { received, phase } = run.state;
  run.apply(fact);
  if (fact.type !== 'message-received' || fact.mode === undefined || run.stopped) return;
  if (run.state.received === received) return; // sent again
  const isRunning = phase.kind === 'tools' && fact.mode === 'interrupt';
  if (phase.kind === 'model' || isRunning) run.cutOff();
}

/** The answer to an Update that the run does not take. */
export function rejection(type: string, message: string): ApplicationFailure {
  return ApplicationFailure.create({ type, message, nonRetryable: true });
}
