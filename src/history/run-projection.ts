/** LoopState from history alone: the events become the facts that the Workflow met, in the order in which it met them, and go through the same fold. No Worker, no Workflow code. */

import type { Advance } from '../loop/advance.ts';
import { AgentSpec } from '../loop/agent-spec.ts';
import { apply, startState } from '../loop/apply.ts';
import { isHookResult, isRestored, isTranscriptRef } from '../loop/call-results.ts';
import { ModelCallInput, SealInput } from '../loop/calls.ts';
import { resultEntries } from '../loop/close-calls.ts';
import { isControlName, toControlFact } from '../loop/control.ts';
import { awaitingState } from '../loop/departure-states.ts';
import type { Fact } from '../loop/fact.ts';
import { HookInput } from '../loop/hook-changes.ts';
import type { LoopState } from '../loop/loop-state.ts';
import { callIdOf } from '../loop/message-ids.ts';
import { isPointArgument, isRunInput, isSendInput, isStateArgument } from '../loop/read-input.ts';
import { receivedFact } from '../loop/received-signal.ts';
import { RunMemo } from '../loop/run-memo.ts';
import { signalFact } from '../loop/signal-fact.ts';
import { memoKey } from '../loop/to-run-memo.ts';
import type { ToolOutcome } from '../loop/tool-outcome.ts';
import { lostOutcome, returnedOutcome } from '../loop/tool-outcome.ts';
import { modelEnded, modelFailed } from './model-ends.ts';
import type { ChildEnded } from './recorded-children.ts';
import { RecordedChildren, readChild } from './recorded-children.ts';
import type { RecordedEvent } from './recorded-event.ts';
import type { Resolution, Result } from './results.ts';
import { endOf, isResolution, isResult } from './results.ts';
import type { Met } from './task-order.ts';
import { TaskOrder } from './task-order.ts';

/** One step of the fold: `before` is absent for the fact that began the run, `event` is what told the fact. */
export interface Step {
  readonly fact: Fact | { readonly type: 'went-on' } | { readonly type: 'awaits-state' };
  readonly before: LoopState | undefined;
  readonly after: LoopState;
}

/** Folds a history event by event. Feed it every event of one Temporal run, in order. */
export class RunProjection {
  readonly #runId: string;
  readonly #onStep: (step: Step) => void;
  #state: LoopState | undefined;
  readonly #scheduled = new Map<
    number,
    { readonly activityId: string; readonly name: string; readonly afterStop: boolean }
  >();
  readonly #order = new TaskOrder();
  readonly #children = new RecordedChildren();
  readonly #admitted = new Map<string, { readonly name: string; readonly input: unknown }>();
  /** The newest iteration known to have ended. */
  #ended = 0;
  /** The results that the last Workflow task brought, and the state before them: until something else than an Update follows. */
  #brought:
    | { readonly before: LoopState | undefined; readonly results: readonly Result[] }
    | undefined;
  #isSilent = false;

  constructor(runId: string, onStep: (step: Step) => void = () => {}) {
    this.#runId = runId;
    this.#onStep = onStep;
  }

  /** The state so far; undefined before the first event. */
  get state(): LoopState | undefined {
    return this.#state;
  }

  add(event: RecordedEvent): void {
    const met = this.#order.add(event);
    if (event.type === 'task-completed') this.#meetTask(met);
    else {
      if (event.type !== 'update-accepted') this.#brought = undefined;
      for (const each of met) this.#meet(each);
    }
  }

  #meetTask(met: readonly Met[]): void {
    const results = met.filter(isResult);
    for (const each of met) if (!isResult(each)) this.#meet(each);
    this.#brought = results.length === 0 ? undefined : { before: this.#state, results };
    for (const each of results) this.#meet(each);
  }

  /**
   * History places an Update after the results of its task; the Workflow handles it before it goes on with them.
   * What they come to after it is what counts.
   */
  #insert(fact: Exclude<Fact, { type: 'run-started' }>): void {
    if (this.#brought?.before === undefined || this.#state === undefined) {
      this.#apply(fact);
      return;
    }
    const shown = this.#state;
    const { results } = this.#brought;
    const before = apply(this.#brought.before, fact);
    this.#brought = { before, results };
    this.#state = before;
    this.#isSilent = true;
    for (const result of results) this.#meet(result);
    this.#isSilent = false;
    this.#onStep({ fact, before: shown, after: this.#state });
  }

  #meet(event: Met): void {
    if (isResolution(event)) {
      this.#resolve(event);
      return;
    }
    switch (event.type) {
      case 'started':
        this.#start(event);
        break;
      case 'activity-scheduled':
        this.#schedule(event);
        this.#scheduled.set(event.id, {
          activityId: event.activityId,
          name: event.name,
          afterStop: this.#state?.stop !== undefined,
        });
        break;
      case 'local-activity-completed':
        if (event.name === 'everloopResolveAgent') this.#agentResolved(event.result);
        if (event.name === 'everloopRunHook') this.#hooksAsked(event.result);
        if (event.name === 'everloopRunTool') this.#ranLocally(event.result);
        break;
      case 'child-initiated':
        this.#childStarted(event);
        break;
      case 'update-admitted':
        this.#admitted.set(event.updateId, event);
        break;
      case 'update-accepted':
        this.#accept(event);
        break;
      case 'memo':
        this.#summarized(event.memo);
        break;
      case 'closed':
        // A run continues at a boundary; without new messages nothing else has told of it.
        // One that waits inside its tools has not come to the end of its iteration.
        if (event.closed.how === 'continued' && this.#state?.pendingToolCalls.length === 0) {
          this.#endIteration();
        }
        break;
    }
  }

  #apply(fact: Exclude<Fact, { type: 'run-started' }>): void {
    if (this.#state === undefined) throw new Error('the history does not begin with its start');
    const before = this.#state;
    this.#state = apply(before, fact);
    if (!this.#isSilent) this.#onStep({ fact, before, after: this.#state });
  }

  #start(event: Extract<RecordedEvent, { type: 'started' }>): void {
    if (!isRunInput(event.input)) return;
    if (isPointArgument(event.input)) {
      const { at, firstTemporalRunId } = event;
      const { from } = event.input;
      this.#state = awaitingState({ at, runId: this.#runId, firstTemporalRunId, from });
      this.#onStep({ fact: { type: 'awaits-state' }, before: undefined, after: this.#state });
      return;
    }
    if (isStateArgument(event.input)) {
      this.#state = event.input.from.state;
      const { iteration, pendingToolCalls } = this.#state;
      // One whose calls wait for somebody went on in the middle of its iteration.
      this.#ended = pendingToolCalls.length > 0 ? iteration - 1 : iteration;
      this.#onStep({ fact: { type: 'went-on' }, before: undefined, after: this.#state });
      return;
    }
    const fact = {
      type: 'run-started',
      at: event.at,
      runId: this.#runId,
      firstTemporalRunId: event.firstTemporalRunId,
      start: event.input.start,
    } as const;
    this.#state = startState(fact);
    this.#onStep({ fact, before: undefined, after: this.#state });
  }

  #agentResolved(result: unknown): void {
    this.#apply({ type: 'agent-resolved', agent: AgentSpec.parse(result) });
    this.#open();
  }

  #restored(result: unknown): void {
    if (!isRestored(result)) return;
    this.#apply({ ...result, type: 'restored' });
    this.#ended = this.#state?.iteration ?? 0;
    // Another agent is still to be resolved.
    if (this.#state?.agent !== undefined) this.#open();
  }

  /** What the run was started with joins the transcript as soon as there is an agent. */
  #open(): void {
    if (this.#state?.opening !== undefined) this.#apply({ type: 'appended', entries: ['input'] });
  }

  #schedule(event: Extract<RecordedEvent, { type: 'activity-scheduled' }>): void {
    if (event.name === 'everloopRunTool') {
      this.#apply({ type: 'tool-started', callId: callIdOf(event.activityId) });
    }
    if (event.name === 'everloopCallModel') this.#modelAsked(ModelCallInput.parse(event.input));
    if (event.name === 'everloopSealTranscript') this.#sealStarted(SealInput.parse(event.input));
    if (event.name === 'everloopRunHook') this.#hooksStarted(HookInput.parse(event.input));
  }

  #modelAsked(input: ModelCallInput): void {
    this.#append(input);
    if (input.compact !== undefined) {
      if (input.compact.boundary === true) this.#endIteration();
      this.#apply({ type: 'told' });
      return;
    }
    const { iteration, received = [], finish = false } = input;
    const isNew = iteration > (this.#state?.iteration ?? 0);
    // Another model after a failure is a further call of the same iteration.
    if (isNew || finish) this.#endIteration();
    if (isNew) this.#apply({ type: 'iteration-started', iteration, received });
    this.#apply({ type: 'model-started' });
  }

  #sealStarted(input: SealInput): void {
    const { boundary, stopped, received = [] } = input;
    // What a stop in the middle of an iteration appends follows from the stop itself.
    if (boundary === true) {
      this.#append(input);
      this.#endIteration();
      this.#apply({ type: 'messages-taken', received });
    }
    // Told by the hooks at the end already, if there were any.
    if (stopped !== undefined && this.#state?.stop === undefined) {
      this.#apply({ type: 'stopped', ...stopped });
    }
    this.#apply({ type: 'told' });
  }

  #hooksStarted(input: HookInput): void {
    if (input.stopped !== undefined) {
      this.#sealStarted(input);
      return;
    }
    this.#append(input);
    this.#apply({ type: 'told' });
  }

  #hooksAsked(result: unknown): void {
    if (!isHookResult(result)) return;
    // Asked inside a Workflow task: the answer alone is recorded, and tells what the question told.
    if (result.advance !== undefined) {
      this.#append(result.advance);
      this.#apply({ type: 'told' });
    }
    this.#apply({ type: 'hooks-asked', at: this.#order.now, result });
  }

  /** What the advance appends beyond what the projection has appended itself. */
  #append({ append }: Advance): void {
    const known = this.#state?.unsent.append.length ?? 0;
    if (append.length > known) this.#apply({ type: 'appended', entries: append.slice(known) });
  }

  /** The Workflow ends an iteration before it does anything after it. */
  #endIteration(): void {
    const iteration = this.#state?.iteration ?? 0;
    if (iteration === this.#ended) return;
    this.#ended = iteration;
    this.#apply({ type: 'iteration-ended' });
  }

  #resolve(event: Resolution): void {
    if (event.type === 'cancel-requested') {
      if (this.#state !== undefined) this.#apply({ type: 'cancel-requested' });
      return;
    }
    if (event.type === 'timer-fired') {
      if (this.#state !== undefined) this.#apply({ type: 'waits-expired', at: this.#order.now });
      return;
    }
    if (event.type === 'child-closed') {
      this.#childEnded(this.#children.closed(this.#state, event, this.#order.now));
      return;
    }
    if (event.type === 'signaled') {
      if (this.#state === undefined) return;
      const fact = signalFact(this.#state, event.name, event.input, this.#order.now);
      if (fact !== undefined) this.#apply(fact);
      return;
    }
    const activity = this.#scheduled.get(event.scheduledId);
    if (activity === undefined) return;
    const { activityId, name, afterStop } = activity;
    // A run that has stopped waits no longer for the calls that did not stop with it.
    if (this.#state?.stop !== undefined && !afterStop) return;
    if (event.type === 'activity-completed') this.#completed(activityId, name, event.result);
    else if (name === 'everloopReadResult') this.#childRead(activityId);
    else if (name === 'everloopRunTool') {
      this.#toolEnded(activityId, lostOutcome(endOf(event)));
    } else if (name === 'everloopCallModel') {
      const fact = modelFailed(this.#state, activityId, event, this.#order.now);
      if (fact !== undefined) this.#apply(fact);
    }
  }

  #completed(activityId: string, name: string, result: unknown): void {
    if (name === 'everloopReadResult') this.#childRead(activityId, result);
    if (name === 'everloopResolveAgent') this.#agentResolved(result);
    if (name === 'everloopRestoreState') this.#restored(result);
    if (name === 'everloopRunTool') this.#toolEnded(activityId, returnedOutcome(result));
    if (name === 'everloopRunHook') this.#hooksAsked(result);
    if (name === 'everloopSealTranscript' && isTranscriptRef(result)) {
      this.#apply({ type: 'sealed', ref: result });
    }
    if (name !== 'everloopCallModel') return;
    for (const fact of modelEnded(activityId, result, this.#order.now)) this.#apply(fact);
  }

  /** Of a call that was run inside a Workflow task only the result is recorded; it names its call. */
  #ranLocally(result: unknown): void {
    const outcome = returnedOutcome(result);
    if (outcome.status !== 'finished') return;
    const [part] = outcome.message.parts;
    if (part?.kind !== 'tool_result') return;
    const callId = part.toolResult.id;
    this.#apply({ type: 'tool-started', callId });
    this.#apply({ type: 'tool-ended', at: this.#order.now, callId, outcome });
  }

  #toolEnded(activityId: string, outcome: ToolOutcome): void {
    const callId = callIdOf(activityId);
    this.#apply({ type: 'tool-ended', at: this.#order.now, callId, outcome });
  }

  #accept(event: Extract<RecordedEvent, { type: 'update-accepted' }>): void {
    const request = event.request ?? this.#admitted.get(event.updateId);
    if (request === undefined) return;
    const { name, input } = request;
    const at = this.#order.now;
    if (isControlName(name)) this.#insert(toControlFact(name, input, at));
    if (name !== 'send' || !isSendInput(input)) return;
    this.#insert(receivedFact(input, input.id ?? event.updateId, at));
  }

  #childStarted(event: Extract<RecordedEvent, { type: 'child-initiated' }>): void {
    const fact = this.#children.started(event);
    if (fact !== undefined) this.#apply(fact);
  }

  #childRead(activityId: string, result?: unknown): void {
    this.#childEnded(readChild(this.#state, activityId, result, this.#order.now));
  }

  #childEnded(fact: ChildEnded | undefined): void {
    if (fact !== undefined) this.#apply(fact);
  }

  /** A run that stands still tells by its summary alone that its iteration has ended. */
  #summarized(memo: Readonly<Record<string, unknown>>): void {
    const parsed = RunMemo.safeParse(memo[memoKey]);
    if (!parsed.success || this.#state === undefined) return;
    if (parsed.data.boundary === true && this.#state.iteration > this.#ended) {
      this.#apply({ type: 'appended', entries: resultEntries(this.#state) });
      this.#endIteration();
    }
    if (parsed.data.status === 'waiting:budget' && this.#state.budgetWait === undefined) {
      this.#apply({ type: 'budget-awaited', at: parsed.data.asOf });
    }
    this.#stop(parsed.data);
  }

  #stop({ stop, asOf }: RunMemo): void {
    if (stop === undefined || this.#state === undefined) return;
    if (this.#state.stop !== undefined) {
      this.#apply({ type: 'ended', at: asOf });
      return;
    }
    // No command follows a last iteration, so nothing but its limit tells that it ended.
    const isLimit = stop.reason === 'max_iterations' || stop.reason === 'budget';
    if (isLimit && this.#state.iteration > this.#ended) {
      this.#apply({ type: 'appended', entries: resultEntries(this.#state) });
      this.#endIteration();
    }
    this.#apply({ type: 'stopped', at: asOf, stop });
    this.#apply({ type: 'ended', at: asOf });
  }
}
