/** Plays a whole run on the pure loop: the part of Workflow, server, model and tools at once. Yields what the Workflow saw and what its history would hold. */

import { callsOf } from '../../src/chat/calls-of.ts';
import type { FinishReason } from '../../src/chat/finish-reason.ts';
import type { ToolCall } from '../../src/chat/tool-call.ts';
import type { IdentifiedMessage, TranscriptMessage } from '../../src/chat/transcript-message.ts';
import type { Usage } from '../../src/chat/usage.ts';
import type { RecordedEvent } from '../../src/history/recorded-event.ts';
import type { AgentSpec } from '../../src/loop/agent-spec.ts';
import { apply, startState } from '../../src/loop/apply.ts';
import { withUniqueCallIds } from '../../src/loop/call-ids.ts';
import type { ModelCallResult, SealInput } from '../../src/loop/calls.ts';
import { responseEntries, resultEntries } from '../../src/loop/close-calls.ts';
import { continuedState } from '../../src/loop/continuation.ts';
import {
  afterModel,
  beforeIteration,
  isStopping,
  receivable,
  stopForError,
} from '../../src/loop/decide.ts';
import type { Fact } from '../../src/loop/fact.ts';
import type { HookChanges, HookInput } from '../../src/loop/hook-changes.ts';
import type { HookMoment } from '../../src/loop/hook-moment.ts';
import { isBoundary } from '../../src/loop/is-boundary.ts';
import type { LoopState } from '../../src/loop/loop-state.ts';
import {
  activityMessageId,
  hookActivityId,
  modelActivityId,
  sealActivityId,
  toolActivityId,
} from '../../src/loop/message-ids.ts';
import type { Stop } from '../../src/loop/stop.ts';
import { toAdvance } from '../../src/loop/to-advance.ts';
import { memoKey, shortened, toRunMemo } from '../../src/loop/to-run-memo.ts';
import type { ActivityEnd } from '../../src/loop/tool-outcome.ts';
import { lostOutcome } from '../../src/loop/tool-outcome.ts';

/** How the model answers one call. */
export interface PlannedAnswer {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly finishReason: FinishReason;
  readonly usage: Usage | undefined;
  readonly pause: boolean;
  readonly fails: boolean;
}

/** How one tool call ends; `rank` orders the ends within a response. */
export interface PlannedEnd {
  readonly rank: number;
  readonly end: 'finished' | 'error' | ActivityEnd;
}

export interface Plan {
  readonly agent: AgentSpec;
  readonly answers: readonly PlannedAnswer[];
  readonly ends: readonly PlannedEnd[];
  /** Messages sent: each after so many waits of the Workflow, by Update or by Signal. */
  readonly sends: readonly {
    readonly id: string;
    readonly after: number;
    readonly by: 'update' | 'signal';
  }[];
  /** Iterations after which the run tries to continue as new. */
  readonly continueAfter: readonly number[];
  /** What the agent's hooks of each moment answer; moments that are absent have no hook. */
  readonly hooks: Readonly<Partial<Record<HookMoment, HookChanges>>>;
  /** Calls that a hook skips, or the run with them: by their place in the response. */
  readonly actions: readonly ('proceed' | 'skip' | 'abort')[];
  /** Tries to seal the transcript that fail. */
  readonly sealsFail: boolean;
  /** The wait in which the run is cancelled. */
  readonly cancelAfter: number | undefined;
}

export interface Simulation {
  readonly final: LoopState;
  /** States at the start, after each iteration, at the end. */
  readonly boundaries: readonly LoopState[];
  /** The histories of the Temporal runs, one after another. */
  readonly histories: readonly (readonly RecordedEvent[])[];
  /** Every message ever appended, in order. */
  readonly messages: readonly TranscriptMessage[];
  /** States right after the results of a tools node were appended. */
  readonly afterTools: readonly LoopState[];
  readonly usages: readonly (Usage | undefined)[];
  readonly accepted: readonly string[];
}

const runId = 'run';
const firstTemporalRunId = '0000-sim';
const epoch = Date.UTC(2026, 0, 1);

export function simulate(plan: Plan): Simulation {
  return new Player(plan).play();
}

type New<T> = T extends unknown ? Omit<T, 'id' | 'at'> : never;

class Player {
  readonly #plan: Plan;
  readonly #histories: RecordedEvent[][] = [[]];
  readonly #messages: TranscriptMessage[] = [];
  readonly #boundaries: LoopState[] = [];
  readonly #afterTools: LoopState[] = [];
  readonly #usages: (Usage | undefined)[] = [];
  readonly #accepted: string[] = [];
  #state: LoopState;
  #clock = epoch;
  #now = epoch;
  #waits = 0;
  #answers = 0;
  #ends = 0;

  constructor(plan: Plan) {
    this.#plan = plan;
    const start = { agent: plan.agent.name, input: 'Go.' };
    this.#record({ type: 'started', firstTemporalRunId, input: { start } });
    this.#state = startState({
      type: 'run-started',
      at: this.#clock,
      runId,
      firstTemporalRunId,
      start,
    });
    this.#boundaries.push(this.#state);
  }

  play(): Simulation {
    this.#task();
    this.#record({
      type: 'local-activity-completed',
      name: 'everloopResolveAgent',
      result: this.#plan.agent,
    });
    this.#apply({ type: 'agent-resolved', agent: this.#plan.agent });
    this.#apply({ type: 'appended', entries: ['input'] });
    this.#askHooks('onStart');
    this.#end(shortened(this.#loop()));
    this.#record({ type: 'memo', memo: { [memoKey]: toRunMemo(this.#state, this.#now) } });
    return {
      final: this.#state,
      boundaries: this.#boundaries,
      histories: this.#histories,
      messages: this.#messages,
      afterTools: this.#afterTools,
      usages: this.#usages,
      accepted: this.#accepted,
    };
  }

  #loop(): Stop {
    for (;;) {
      const limit = beforeIteration(this.#state, this.#now);
      if (limit !== undefined) return limit;
      if (this.#plan.continueAfter.includes(this.#state.iteration)) this.#continue();
      const failed = this.#iterate();
      if (failed !== undefined) return failed;
    }
  }

  #continue(): void {
    this.#apply({ type: 'messages-taken', received: receivable(this.#state) });
    if (!this.#seal({ boundary: true })) return;
    const state = continuedState(this.#state);
    if (state === undefined) throw new Error('the state is too large');
    const temporalRunId = `${this.#histories.length}-sim`;
    this.#record({ type: 'closed', closed: { how: 'continued', temporalRunId } });
    this.#histories.push([]);
    const previous = { temporalRunId: '0000-sim', how: 'continued' as const };
    const input = { from: { state, previous } };
    this.#record({ type: 'started', firstTemporalRunId, input });
    this.#state = state;
    this.#boundaries.push(state);
    this.#task();
  }

  #end(stop: Stop): void {
    const stopped = { at: this.#now, stop };
    const isBoundary = this.#state.phase.kind === 'boundary';
    this.#apply({ type: 'stopped', ...stopped });
    const why = { stopped, ...(isBoundary && { boundary: true as const }) };
    this.#askHooks('onEnd', why);
    this.#seal(why);
    this.#apply({ type: 'ended', at: this.#now });
  }

  /** Messages that hooks add have ids of their own, each time. */
  #askHooks(moment: HookMoment, about: Partial<HookInput> = {}): void {
    const planned = this.#plan.hooks[moment];
    if (planned === undefined) return;
    const { iteration, usage, metadata } = this.#state;
    const activityId = hookActivityId(iteration, moment);
    const view = { usage, metadata, hooks: ['h'] };
    const input = { ...toAdvance(this.#state), agent: 'agent', moment, view, ...about };
    const name = 'everloopRunHook';
    const scheduledId = this.#record({ type: 'activity-scheduled', activityId, name, input });
    this.#apply({ type: 'told' });
    const messages = planned.messages?.map((message) => ({
      ...message,
      id: `${firstTemporalRunId}/${activityId}/${this.#messages.length}`,
    }));
    const actions = about.calls?.flatMap((call, index) => {
      const kind = this.#plan.actions[index % Math.max(1, this.#plan.actions.length)] ?? 'proceed';
      return kind === 'proceed' ? [] : [{ callId: call.id, action: { kind } }];
    });
    const result = {
      moment,
      changes: [{ ...planned, ...(messages !== undefined && { messages }) }],
      ...(moment === 'onToolStart' && actions !== undefined && { actions }),
    };
    this.#record({ type: 'activity-completed', scheduledId, result });
    this.#task();
    this.#apply({ type: 'hooks-asked', at: this.#now, result });
  }

  #seal(why: Pick<SealInput, 'boundary' | 'stopped'>): boolean {
    const { count, sealed } = this.#state.transcript;
    if (count === 0) return false;
    if (sealed?.messages === count) return true;
    const scheduledId = this.#record({
      type: 'activity-scheduled',
      activityId: sealActivityId(this.#state.iteration, count),
      name: 'everloopSealTranscript',
      input: { ...toAdvance(this.#state), ...why },
    });
    this.#apply({ type: 'told' });
    if (this.#plan.sealsFail) {
      const message = 'the disk is full';
      this.#record({ type: 'activity-failed', scheduledId, failureType: 'x', message });
      this.#task();
      return false;
    }
    const ref = { hash: `of-${count}`, messages: count, bytes: count };
    this.#record({ type: 'activity-completed', scheduledId, result: ref });
    this.#task();
    this.#apply({ type: 'sealed', ref });
    return true;
  }

  /** One iteration; returns the reason to stop, if there is one. */
  #iterate(): Stop | undefined {
    const iteration = this.#state.iteration + 1;
    this.#apply({ type: 'iteration-started', iteration, received: receivable(this.#state) });
    for (;;) {
      const { model } = this.#state;
      const failed = this.#callModel();
      if (failed === undefined) break;
      if (this.#state.model === model) return failed;
    }
    const next = afterModel(this.#state);
    if (next.kind === 'stop') return next.stop;
    if (next.kind === 'tools') this.#tools(iteration);
    if (!isStopping(this.#state)) this.#askHooks('onLoop');
    if (!isStopping(this.#state)) this.#apply({ type: 'iteration-ended' });
    return undefined;
  }

  /** Returns the reason to stop when the call fails and no other model is asked. */
  #callModel(): Stop | undefined {
    const { iteration, callsInIteration, model } = this.#state;
    const activityId = modelActivityId(iteration, callsInIteration + 1);
    const scheduledId = this.#record({
      type: 'activity-scheduled',
      activityId,
      name: 'everloopCallModel',
      input: { ...toAdvance(this.#state), ...(model > 0 && { model }) },
    });
    this.#apply({ type: 'model-started' });
    const isCancelled = this.#wait();
    const answer = this.#plan.answers[this.#answers % this.#plan.answers.length];
    this.#answers += 1;
    if (answer === undefined) throw new Error('a plan needs answers');
    if (answer.fails && !isCancelled) {
      const type = 'everloop.model.server';
      const message = 'the model is away';
      this.#record({ type: 'activity-failed', scheduledId, failureType: type, message });
      this.#task();
      this.#apply({ type: 'model-failed', at: this.#now, activityId, error: { type, message } });
      return stopForError(this.#state, type, message);
    }
    const result = isCancelled ? this.#partial(answer) : this.#answer(answer);
    this.#usages.push(result.usage);
    this.#record({ type: 'activity-completed', scheduledId, result });
    this.#task();
    this.#apply({ type: 'model-ended', at: this.#now, activityId, result });
    this.#apply({ type: 'appended', entries: responseEntries(this.#state) });
    return undefined;
  }

  #proposed() {
    return this.#state.pendingToolCalls.filter(({ status }) => status === 'proposed');
  }

  #tools(iteration: number): void {
    const calls = this.#proposed().map(({ call }) => call);
    if (calls.length > 0) this.#askHooks('onToolStart', { calls });
    if (isStopping(this.#state)) return;
    const proposed = this.#proposed();
    const running = proposed.map(({ call }) => {
      const activityId = toolActivityId(iteration, call.id);
      const scheduledId = this.#record({
        type: 'activity-scheduled',
        activityId,
        name: 'everloopRunTool',
        input: {},
      });
      this.#apply({ type: 'tool-started', callId: call.id });
      const end = this.#plan.ends[this.#ends % this.#plan.ends.length];
      this.#ends += 1;
      if (end === undefined) throw new Error('a plan needs ends');
      return { call, activityId, scheduledId, ...end };
    });
    for (const one of running.sort((a, b) => a.rank - b.rank)) {
      if (this.#wait()) return;
      this.#endTool(one);
      // Hooks want the others stopped; those that are stopped leave no result.
      if (this.#state.halt !== undefined) return;
    }
    this.#apply({ type: 'appended', entries: resultEntries(this.#state) });
    this.#afterTools.push(this.#state);
  }

  #endTool(one: PlannedEnd & { call: ToolCall; activityId: string; scheduledId: number }): void {
    const { call, activityId, scheduledId, end } = one;
    const callId = call.id;
    if (end === 'finished' || end === 'error') {
      const message = this.#result(call, activityId, end === 'error');
      const planned = this.#plan.hooks.onToolEnd;
      const changes = planned === undefined ? undefined : [planned];
      const result = { message, ...(changes !== undefined && { changes }) };
      const outcome = { status: 'finished' as const, ...result };
      this.#record({ type: 'activity-completed', scheduledId, result });
      this.#task();
      this.#apply({ type: 'tool-ended', at: this.#now, callId, outcome });
      return;
    }
    if (end.kind === 'called-off') this.#record({ type: 'activity-cancelled', scheduledId });
    if (end.kind === 'timeout') {
      this.#record({ type: 'activity-timed-out', scheduledId, heartbeat: end.heartbeat });
    }
    if (end.kind === 'failed') {
      const { message } = end;
      this.#record({ type: 'activity-failed', scheduledId, failureType: 'x', message });
    }
    this.#task();
    this.#apply({ type: 'tool-ended', at: this.#now, callId, outcome: lostOutcome(end) });
  }

  /** The Workflow waits: messages arrive, perhaps a cancellation. True when it is cancelled now. */
  #wait(): boolean {
    this.#waits += 1;
    for (const { id, by } of this.#plan.sends.filter((send) => send.after === this.#waits)) {
      const input = { id, message: `message ${id}` };
      if (by === 'signal') this.#record({ type: 'signaled', name: 'send', input });
      this.#task();
      if (by === 'update') {
        this.#record({ type: 'update-accepted', updateId: id, request: { name: 'send', input } });
      }
      this.#apply({
        type: 'message-received',
        at: this.#now,
        id,
        message: { role: 'user', parts: [{ kind: 'text', text: `message ${id}` }] },
      });
      this.#accepted.push(id);
    }
    if (this.#plan.cancelAfter !== this.#waits) return false;
    this.#record({ type: 'cancel-requested' });
    this.#task();
    this.#apply({ type: 'cancel-requested' });
    return true;
  }

  #answer(answer: PlannedAnswer): ModelCallResult {
    const { text, calls, finishReason, usage, pause } = answer;
    const parts = [
      ...(text === '' ? [] : [{ kind: 'text' as const, text }]),
      ...calls.map((toolCall) => ({ kind: 'tool_call' as const, toolCall })),
    ];
    const taken = new Set(
      this.#messages.flatMap((message) => callsOf(message).map((call) => call.id)),
    );
    const message = withUniqueCallIds({ ...this.#identity('assistant'), parts }, taken);
    return {
      ...(parts.length > 0 && { message }),
      finishReason,
      usage,
      ...(pause && { providerPause: true as const }),
      ...(this.#plan.hooks.onModelEnd !== undefined && {
        changes: [this.#plan.hooks.onModelEnd],
      }),
    };
  }

  #partial({ text }: PlannedAnswer): ModelCallResult {
    const message = {
      ...this.#identity('assistant'),
      parts: [{ kind: 'text' as const, text }],
      partial: true,
    };
    return {
      ...(text !== '' && { message }),
      finishReason: 'other',
      cancelled: true,
    };
  }

  #identity(role: 'assistant') {
    const { iteration, callsInIteration } = this.#state;
    const activityId = modelActivityId(iteration, callsInIteration);
    return { id: activityMessageId(firstTemporalRunId, activityId, 1), role };
  }

  #result(call: ToolCall, activityId: string, isError: boolean): IdentifiedMessage {
    const output = { content: [{ kind: 'text' as const, text: `result of ${call.id}` }] };
    const toolResult = { id: call.id, name: call.name, output, ...(isError && { isError }) };
    return {
      id: activityMessageId(firstTemporalRunId, activityId, 1),
      role: 'tool',
      parts: [{ kind: 'tool_result', toolResult }],
    };
  }

  #task(): void {
    const startedId = this.#record({ type: 'task-started' });
    this.#now = this.#clock;
    this.#record({ type: 'task-completed', startedId });
  }

  #record(event: New<RecordedEvent>): number {
    this.#clock += 1_000;
    const events = this.#histories.at(-1) ?? [];
    const id = events.length + 1;
    events.push({ id, at: this.#clock, ...event });
    return id;
  }

  #apply(fact: Exclude<Fact, { type: 'run-started' }>): void {
    const { count } = this.#state.transcript;
    this.#state = apply(deepFreeze(this.#state), fact);
    const added = this.#state.transcript.count - count;
    if (added > 0) this.#messages.push(...this.#state.transcript.tail.slice(-added));
    if (isBoundary(fact)) this.#boundaries.push(this.#state);
  }
}

/** Makes every change of a state an error. */
function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}
