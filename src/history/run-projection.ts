/** LoopState from history alone: the events become the facts that the Workflow met, in the order in which it met them, and go through the same fold. No Worker, no Workflow code. */

import { AgentSpec } from '../loop/agent-spec.ts';
import { apply, startState } from '../loop/apply.ts';
import { isModelCallResult } from '../loop/call-results.ts';
import { ModelCallInput } from '../loop/calls.ts';
import { resultEntries } from '../loop/close-calls.ts';
import type { Fact } from '../loop/fact.ts';
import type { LoopState } from '../loop/loop-state.ts';
import { callIdOf } from '../loop/message-ids.ts';
import { isRunInput, isSendInput } from '../loop/read-input.ts';
import { RunMemo } from '../loop/run-memo.ts';
import { memoKey } from '../loop/to-run-memo.ts';
import { toUserMessage } from '../loop/to-user-message.ts';
import type { ActivityEnd, ToolOutcome } from '../loop/tool-outcome.ts';
import { lostOutcome, returnedOutcome } from '../loop/tool-outcome.ts';
import type { RecordedEvent } from './recorded-event.ts';

/** An Activity event that the Workflow has not seen yet: it sees it in its next Workflow task. */
type Resolution = Extract<
  RecordedEvent,
  {
    type:
      | 'activity-completed'
      | 'activity-failed'
      | 'activity-timed-out'
      | 'activity-cancelled'
      | 'cancel-requested';
  }
>;

/** Called with LoopState at the start, after each iteration, and at the end. */
export type OnBoundary = (state: LoopState) => void;

/** Folds a history event by event. Feed it every event of one Temporal run, in order. */
export class RunProjection {
  readonly #runId: string;
  readonly #onBoundary: OnBoundary;
  #state: LoopState | undefined;
  readonly #scheduled = new Map<number, { activityId: string; name: string }>();
  readonly #taskStarts = new Map<number, number>();
  readonly #admitted = new Map<string, { readonly name: string; readonly input: unknown }>();
  #unseen: Resolution[] = [];
  #now = 0;
  /** The newest iteration known to have ended. */
  #ended = 0;

  constructor(runId: string, onBoundary: OnBoundary = () => {}) {
    this.#runId = runId;
    this.#onBoundary = onBoundary;
  }

  /** The state so far; undefined before the first event. */
  get state(): LoopState | undefined {
    return this.#state;
  }

  add(event: RecordedEvent): void {
    switch (event.type) {
      case 'started':
        this.#start(event);
        break;
      case 'task-started':
        this.#taskStarts.set(event.id, event.at);
        break;
      case 'task-completed':
        this.#now = this.#taskStarts.get(event.startedId) ?? event.at;
        this.#taskStarts.clear();
        for (const resolution of this.#unseen.splice(0)) this.#resolve(resolution);
        break;
      case 'activity-completed':
      case 'activity-failed':
      case 'activity-timed-out':
      case 'activity-cancelled':
      case 'cancel-requested':
        this.#unseen.push(event);
        break;
      case 'activity-scheduled':
        this.#scheduled.set(event.id, { activityId: event.activityId, name: event.name });
        this.#schedule(event);
        break;
      case 'local-activity-completed':
        if (event.name === 'everloopResolveAgent') this.#agentResolved(event.result);
        break;
      case 'update-admitted':
        this.#admitted.set(event.updateId, event);
        break;
      case 'update-accepted':
        this.#accept(event);
        break;
      case 'memo':
        this.#stop(event.memo);
        break;
      case 'closed':
        break;
    }
  }

  #apply(fact: Exclude<Fact, { type: 'run-started' }>): void {
    if (this.#state === undefined) throw new Error('the history does not begin with its start');
    this.#state = apply(this.#state, fact);
    if (fact.type === 'iteration-ended' || fact.type === 'stopped') this.#onBoundary(this.#state);
  }

  #start(event: Extract<RecordedEvent, { type: 'started' }>): void {
    if (!isRunInput(event.input)) return;
    this.#state = startState({
      type: 'run-started',
      at: event.at,
      runId: this.#runId,
      firstTemporalRunId: event.firstTemporalRunId,
      start: event.input.start,
    });
    this.#onBoundary(this.#state);
  }

  #agentResolved(result: unknown): void {
    this.#apply({ type: 'agent-resolved', agent: AgentSpec.parse(result) });
    this.#apply({ type: 'appended', entries: ['input'] });
  }

  #schedule(event: Extract<RecordedEvent, { type: 'activity-scheduled' }>): void {
    if (event.name === 'everloopRunTool') {
      this.#apply({ type: 'tool-started', callId: callIdOf(event.activityId) });
    }
    if (event.name !== 'everloopCallModel' || this.#state === undefined) return;
    const { iteration, append, received } = ModelCallInput.parse(event.input);
    const appended = this.#state.unsent.append.length;
    if (append.length > appended) {
      this.#apply({ type: 'appended', entries: append.slice(appended) });
    }
    this.#endIteration();
    if (iteration > this.#state.iteration) {
      this.#apply({ type: 'iteration-started', iteration, received: received ?? [] });
    }
    this.#apply({ type: 'model-started' });
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
    const activity = this.#scheduled.get(event.scheduledId);
    if (activity === undefined) return;
    const { activityId, name } = activity;
    if (event.type === 'activity-completed') this.#completed(activityId, name, event.result);
    else if (name === 'everloopRunTool') {
      this.#toolEnded(activityId, lostOutcome(endOf(event)));
    }
  }

  #completed(activityId: string, name: string, result: unknown): void {
    if (name === 'everloopResolveAgent') this.#agentResolved(result);
    if (name === 'everloopRunTool') this.#toolEnded(activityId, returnedOutcome(result));
    // What is no result ends the run with an error, which the memo tells.
    if (name !== 'everloopCallModel' || !isModelCallResult(result)) return;
    this.#apply({ type: 'model-ended', at: this.#now, activityId, result });
    if (result.message !== undefined) {
      this.#apply({ type: 'appended', entries: [activityId] });
    }
  }

  #toolEnded(activityId: string, outcome: ToolOutcome): void {
    const callId = callIdOf(activityId);
    this.#apply({ type: 'tool-ended', at: this.#now, callId, outcome });
  }

  #accept(event: Extract<RecordedEvent, { type: 'update-accepted' }>): void {
    const request = event.request ?? this.#admitted.get(event.updateId);
    if (request?.name !== 'send') return;
    const { input } = request;
    if (!isSendInput(input)) return;
    this.#apply({
      type: 'message-received',
      at: this.#now,
      id: input.id ?? event.updateId,
      message: toUserMessage(input.message),
    });
  }

  #stop(memo: Readonly<Record<string, unknown>>): void {
    const parsed = RunMemo.safeParse(memo[memoKey]);
    if (!parsed.success || parsed.data.stop === undefined || this.#state === undefined) return;
    const { stop, asOf } = parsed.data;
    // No command follows a last iteration, so nothing but its limit tells that it ended.
    if (stop.reason === 'max_iterations' && this.#state.iteration > this.#ended) {
      this.#apply({ type: 'appended', entries: resultEntries(this.#state) });
      this.#endIteration();
    }
    this.#apply({ type: 'stopped', at: asOf, stop });
  }
}

function endOf(event: Exclude<Resolution, { type: 'cancel-requested' }>): ActivityEnd {
  switch (event.type) {
    case 'activity-timed-out':
      return { kind: 'timeout', heartbeat: event.heartbeat };
    case 'activity-failed':
      return { kind: 'failed', message: event.message };
    default:
      return { kind: 'called-off' };
  }
}
