/** The server's part in a simulated run: the clock, the histories, and Workflow tasks with all that they bring. */
import type { TranscriptMessage } from '../../src/chat/transcript-message.ts';
import type { Usage } from '../../src/chat/usage.ts';
import type { RecordedEvent } from '../../src/history/recorded-event.ts';
import { apply, startState } from '../../src/loop/apply.ts';
import { controlProblem, isControlName, toControlFact } from '../../src/loop/control.ts';
import type { Fact } from '../../src/loop/fact.ts';
import { wasReceived } from '../../src/loop/inbox.ts';
import { isBoundary } from '../../src/loop/is-boundary.ts';
import type { LoopState } from '../../src/loop/loop-state.ts';
import { isSendInput } from '../../src/loop/read-input.ts';
import { receivedFact } from '../../src/loop/received-signal.ts';
import { signalFact } from '../../src/loop/signal-fact.ts';
import { memoKey, toRunMemo } from '../../src/loop/to-run-memo.ts';
import type { ControlPlan, Plan, Told } from './plan.ts';
import { noControl } from './plan.ts';

export const runId = 'run';
export const firstTemporalRunId = '0000-sim';
const epoch = Date.UTC(2026, 0, 1);

/** More than any planned run needs. */
const maxTasks = 1_000;

type New<T> = T extends unknown ? Omit<T, 'id' | 'at'> : never;

/** Something that a Workflow waits for: how history tells it, and what the Workflow makes of it. */
export interface Result {
  record(): void;
  apply(): void;
}

export class SimulatedHistory {
  readonly plan: Plan;
  readonly control: ControlPlan;
  readonly histories: RecordedEvent[][] = [[]];
  readonly messages: TranscriptMessage[] = [];
  readonly boundaries: LoopState[] = [];
  readonly usages: (Usage | undefined)[] = [];
  readonly accepted: string[] = [];
  state: LoopState;
  /** Workflow time: the start of the last task. */
  now = epoch;
  /** Workflow tasks so far. */
  tasks = 0;
  /** Whether a message has called off what is in flight. */
  isCutOff = false;
  #clock = epoch;
  #summaryAt = epoch;
  readonly #turns = new Map<string, number>();

  constructor(plan: Plan) {
    this.plan = plan;
    this.control = plan.control ?? noControl;
    const start = { agent: plan.agent.name, input: 'Go.' };
    this.record({ type: 'started', firstTemporalRunId, input: { start } });
    this.state = startState({
      type: 'run-started',
      at: this.#clock,
      runId,
      firstTemporalRunId,
      start,
    });
    this.boundaries.push(this.state);
  }

  /** The next of a planned list, which begins again when it is at its end. */
  turn<T>(name: string, list: readonly T[]): T {
    const count = this.#turns.get(name) ?? 0;
    this.#turns.set(name, count + 1);
    const next = list[count % list.length];
    if (next === undefined) throw new Error(`a plan needs ${name}`);
    return next;
  }

  record(event: New<RecordedEvent>): number {
    this.#clock += 1_000;
    const events = this.histories.at(-1) ?? [];
    const id = events.length + 1;
    events.push({ id, at: this.#clock, ...event });
    return id;
  }

  apply(fact: Exclude<Fact, { type: 'run-started' }>): void {
    const { count } = this.state.transcript;
    this.state = apply(deepFreeze(this.state), fact);
    const added = this.state.transcript.count - count;
    if (added > 0) this.messages.push(...this.state.transcript.tail.slice(-added));
    if (isBoundary(fact)) this.boundaries.push(this.state);
  }

  /** Lists are told of the run. */
  writeSummary(): void {
    this.#summaryAt = this.now;
    this.record({ type: 'memo', memo: { [memoKey]: toRunMemo(this.state, this.now) } });
  }

  refreshSummary(): void {
    if (this.now - this.#summaryAt >= 30_000) this.writeSummary();
  }

  /** Lets time pass until `time`, if it is not over yet. */
  passTo(time: number): void {
    this.#clock = Math.max(this.#clock, time);
  }

  get clock(): number {
    return this.#clock;
  }

  /** Whether somebody will still tell the run something. */
  get isAwaited(): boolean {
    return this.plan.sends.some(this.#isLater) || this.control.told.some(this.#isLater);
  }

  readonly #isLater = ({ after }: { readonly after: number }) => after > this.tasks;

  /** Lets a call wait for its result as long as is planned. */
  delay(): void {
    const tasks = this.turn('delays', this.control.delays);
    for (let task = 0; task < tasks; task += 1) this.task();
  }

  /**
   * One Workflow task: what came from outside, perhaps a cancellation, perhaps results. Signals and Updates are
   * handled before Workflow code goes on with a result, whatever the order in history.
   */
  task(results: readonly Result[] = [], forced: readonly Told[] = []): void {
    this.tasks += 1;
    if (this.tasks > maxTasks) throw new Error('the run does not end');
    const due = ({ after }: { readonly after: number }) => after === this.tasks;
    const sends = this.plan.sends.filter(due).map(({ id, by }): Told => {
      return { kind: 'send', id, mode: 'queue', by };
    });
    const told = [...sends, ...this.control.told.filter(due).map(({ what }) => what), ...forced];
    const signals = told.filter(isSignal).map((each) => this.#messageOf(each));
    const updates = told.filter((each) => !isSignal(each));
    const resultsFirst = this.turn('resultsFirst', this.control.resultsFirst);
    if (resultsFirst) for (const result of results) result.record();
    for (const { name, input } of signals) this.record({ type: 'signaled', name, input });
    const isCancelled = this.plan.cancelAfter === this.tasks;
    if (isCancelled) this.record({ type: 'cancel-requested' });
    if (!resultsFirst) for (const result of results) result.record();
    const startedId = this.record({ type: 'task-started' });
    this.now = this.#clock;
    this.record({ type: 'task-completed', startedId });
    for (const { name, input } of signals) this.#takeSignal(name, input);
    updates.forEach((update, index) => {
      this.#takeUpdate(`update-${this.tasks}-${index}`, this.#messageOf(update));
    });
    if (isCancelled) this.apply({ type: 'cancel-requested' });
    for (const result of results) result.apply();
  }

  /** What stands in the message, given the calls that there are now. */
  #messageOf(told: Told): { readonly name: string; readonly input: unknown } {
    const { pendingToolCalls } = this.state;
    const idOf = (which: number) => pendingToolCalls[which]?.call.id ?? 'nothing';
    switch (told.kind) {
      case 'send': {
        const { id, mode } = told;
        return { name: 'send', input: { id, message: `message ${id}`, mode } };
      }
      case 'decide': {
        const { which, decision, remember } = told;
        const edited = decision === 'edit' ? { input: { task: 'Edited.' } } : {};
        const remembered = remember ? { remember } : {};
        const input = { callId: idOf(which), decision, ...edited, ...remembered };
        return { name: 'decide', input };
      }
      case 'answer':
        return { name: 'answer', input: { callId: idOf(told.which), answer: 'Because.' } };
      case 'extendBudget':
        return { name: 'extendBudget', input: told.more };
      case 'rubbish':
        return { name: told.name, input: told.payload };
      default:
        return { name: told.kind, input: { by: 'ann' } };
    }
  }

  #takeSignal(name: string, input: unknown): void {
    const fact = signalFact(this.state, name, input, this.now);
    if (fact !== undefined) this.#take(fact);
  }

  /** One that is rejected leaves nothing in history. */
  #takeUpdate(updateId: string, request: { readonly name: string; readonly input: unknown }): void {
    const { name, input } = request;
    const accept = () => this.record({ type: 'update-accepted', updateId, request });
    if (isControlName(name)) {
      const isRefused =
        this.state.stop !== undefined ||
        controlProblem(this.state, name, input, this.now) !== undefined;
      if (isRefused) return;
      accept();
      this.#take(toControlFact(name, input, this.now));
    } else if (name === 'send' && isSendInput(input)) {
      const id = input.id ?? updateId;
      if (this.state.stop !== undefined && !wasReceived(this.state, id)) return;
      accept();
      this.#take(receivedFact(input, id, this.now));
    }
  }

  #take(fact: Exclude<Fact, { type: 'run-started' }>): void {
    const { received, phase, stop } = this.state;
    this.apply(fact);
    if (fact.type !== 'message-received' || this.state.received === received) return;
    this.accepted.push(fact.id);
    if (fact.mode === undefined || stop !== undefined) return;
    const isRunning = phase.kind === 'tools' && fact.mode === 'interrupt';
    if (phase.kind === 'model' || isRunning) this.isCutOff = true;
  }
}

function isSignal(told: Told): boolean {
  return told.kind === 'rubbish' || told.by === 'signal';
}

/** Makes every change of a state an error. */
function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}
