/** Plays a whole run on the pure loop: the part of Workflow, server, model, tools and people at once. Yields what the Workflow saw and what its history would hold. */

import type { TranscriptMessage } from '../../src/chat/transcript-message.ts';
import type { Usage } from '../../src/chat/usage.ts';
import type { RecordedEvent } from '../../src/history/recorded-event.ts';
import { isCallOverBudget } from '../../src/loop/budget.ts';
import type { ModelCallResult, SealInput } from '../../src/loop/calls.ts';
import { responseEntries, resultEntries } from '../../src/loop/close-calls.ts';
import { compactionTerms, isCompactionDue, mayCompactFor } from '../../src/loop/compaction.ts';
import { continuedState } from '../../src/loop/continuation.ts';
import {
  afterModel,
  beforeIteration,
  cancelled,
  isStopping,
  receivable,
  stopForError,
} from '../../src/loop/decide.ts';
import { modelFailureType } from '../../src/loop/failure-types.ts';
import type { HookInput } from '../../src/loop/hook-changes.ts';
import type { HookMoment } from '../../src/loop/hook-moment.ts';
import type { LoopState } from '../../src/loop/loop-state.ts';
import {
  activityMessageId,
  compactActivityId,
  hookActivityId,
  modelActivityId,
  sealActivityId,
} from '../../src/loop/message-ids.ts';
import type { Stop } from '../../src/loop/stop.ts';
import { toAdvance } from '../../src/loop/to-advance.ts';
import { shortened } from '../../src/loop/to-run-memo.ts';
import { mustAsk } from '../../src/loop/wait.ts';
import type { Plan, PlannedAnswer } from './plan.ts';
import type { Result } from './simulated-history.ts';
import { firstTemporalRunId, SimulatedHistory } from './simulated-history.ts';
import { answerOf, partialOf } from './simulated-messages.ts';
import { SimulatedTools } from './simulated-tools.ts';

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

export function simulate(plan: Plan): Simulation {
  return new Player(plan).play();
}

/** The run is over for this reason, wherever it is. */
class Stopped extends Error {
  readonly stop: Stop;
  constructor(stop: Stop) {
    super(stop.detail);
    this.stop = stop;
  }
}

/** The run goes on in a new Temporal run. */
class Continued extends Error {}

class Player {
  readonly #run: SimulatedHistory;
  readonly #afterTools: LoopState[] = [];
  /** Iterations after which the run has tried to continue as new. */
  readonly #left = new Set<number>();

  constructor(plan: Plan) {
    this.#run = new SimulatedHistory(plan);
  }

  play(): Simulation {
    const run = this.#run;
    run.task();
    const { agent } = run.plan;
    run.record({
      type: 'local-activity-completed',
      name: 'everloopResolveAgent',
      result: agent,
    });
    run.apply({ type: 'agent-resolved', agent });
    run.apply({ type: 'appended', entries: ['input'] });
    this.#end(shortened(this.#stop(() => void this.#askHooks('onStart')) ?? this.#loop()));
    run.writeSummary();
    const { state: final, boundaries, histories, messages, usages, accepted } = run;
    const afterTools = this.#afterTools;
    return { final, boundaries, histories, messages, afterTools, usages, accepted };
  }

  /** The stop that `work` comes to, if it comes to one. */
  #stop(work: () => Stop | undefined): Stop | undefined {
    try {
      return work();
    } catch (error) {
      if (error instanceof Stopped) return error.stop;
      if (error instanceof Continued) return undefined;
      throw error;
    }
  }

  #loop(): Stop {
    for (;;) {
      const stop = this.#stop(() => this.#iterate());
      if (stop !== undefined) return stop;
    }
  }

  /** One iteration, or the rest of one; returns the reason to stop, if there is one. */
  #iterate(): Stop | undefined {
    const run = this.#run;
    if (run.state.pendingToolCalls.length === 0 || isStopping(run.state)) {
      if (run.state.paused !== undefined) this.#park(() => run.state.paused === undefined);
      if (run.state.agent?.onLimit !== undefined) this.#waitForBudget();
      const limit = beforeIteration(run.state, run.now);
      if (limit !== undefined) return this.#finish(limit);
      if (this.#isDue()) this.#continue();
      if (isCompactionDue(run.state)) this.#compact();
      if (isStopping(run.state)) return undefined;
      const iteration = run.state.iteration + 1;
      run.apply({ type: 'iteration-started', iteration, received: receivable(run.state) });
      this.#callModel();
      const next = afterModel(run.state);
      if (next.kind === 'stop') return next.stop;
    }
    if (run.state.pendingToolCalls.length > 0) this.#runTools();
    if (!isStopping(run.state)) this.#askHooks('onLoop');
    if (isStopping(run.state)) return undefined;
    run.apply({ type: 'iteration-ended' });
    run.refreshSummary();
    return undefined;
  }

  /** Once for each planned iteration. */
  #isDue(): boolean {
    const { iteration } = this.#run.state;
    if (!this.#run.plan.continueAfter.includes(iteration) || this.#left.has(iteration))
      return false;
    this.#left.add(iteration);
    return true;
  }

  #finish(stop: Stop): Stop {
    const run = this.#run;
    const wantsAnswer =
      stop.reason === 'max_iterations' && run.state.agent?.onMaxIterations === 'finish';
    if (!wantsAnswer || isCallOverBudget(run.state)) return stop;
    this.#callModel({ finish: true });
    return beforeIteration(run.state, run.now) ?? stop;
  }

  #waitForBudget(): void {
    const run = this.#run;
    if (beforeIteration(run.state, run.now)?.reason !== 'budget') return;
    if (run.state.budgetWait === undefined) run.apply({ type: 'budget-awaited', at: run.now });
    this.#park(() => run.state.budgetWait === undefined, run.state.budgetWait?.deadline);
  }

  #park(isOver: () => boolean, deadline = Number.POSITIVE_INFINITY): void {
    const run = this.#run;
    run.writeSummary();
    while (!isOver() && !isStopping(run.state) && run.now < deadline) {
      if (run.control.continueParked.includes(run.tasks)) {
        this.#continue();
        if (isOver() || isStopping(run.state)) break;
      }
      if (run.isAwaited || deadline <= run.clock) {
        const timer: Result = {
          record: () => void run.record({ type: 'timer-fired' }),
          apply: () => run.apply({ type: 'waits-expired', at: run.now }),
        };
        run.task(deadline <= run.clock ? [timer] : []);
      } else if (Number.isFinite(deadline)) run.passTo(deadline);
      else run.task([], [{ kind: 'resume', by: 'signal' }]);
    }
    if (!isStopping(run.state)) run.writeSummary();
  }

  /** @throws Continued */
  #continue(): void {
    const run = this.#run;
    run.apply({ type: 'messages-taken', received: receivable(run.state) });
    if (!this.#seal({ boundary: true }) || run.state.cancelRequested) return;
    this.#leave();
  }

  #leave(): never {
    const run = this.#run;
    const state = continuedState(run.state);
    if (state === undefined) throw new Error('the state is too large');
    run.writeSummary();
    const temporalRunId = `${run.histories.length}-sim`;
    run.record({ type: 'closed', closed: { how: 'continued', temporalRunId } });
    run.histories.push([]);
    const previous = { temporalRunId: '0000-sim', how: 'continued' as const };
    const input = { from: { state, previous } };
    run.record({ type: 'started', firstTemporalRunId, input });
    run.state = state;
    run.boundaries.push(state);
    run.task();
    throw new Continued();
  }

  #end(stop: Stop): void {
    const run = this.#run;
    const stopped = { at: run.now, stop };
    const isBoundary = run.state.phase.kind === 'boundary';
    run.apply({ type: 'stopped', ...stopped });
    const why = { stopped, ...(isBoundary && { boundary: true as const }) };
    this.#stop(() => void this.#askHooks('onEnd', why));
    this.#seal(why);
    run.apply({ type: 'ended', at: run.now });
  }

  /** Messages that hooks add have ids of their own, each time. */
  #askHooks(moment: HookMoment, about: Partial<HookInput> = {}): void {
    const run = this.#run;
    const planned = run.plan.hooks[moment];
    if (planned === undefined && moment !== 'onToolStart') return;
    const { iteration, usage, metadata } = run.state;
    const activityId = hookActivityId(iteration, moment, about.calls?.[0]?.id);
    const view = { usage, metadata, hooks: ['h'] };
    const input = { ...toAdvance(run.state), agent: 'agent', moment, view, ...about };
    const name = 'everloopRunHook';
    const scheduledId = run.record({ type: 'activity-scheduled', activityId, name, input });
    run.apply({ type: 'told' });
    run.delay();
    if (run.control.hookFails.includes(moment)) {
      const message = 'the hook is broken';
      run.task([
        {
          record: () =>
            void run.record({ type: 'activity-failed', scheduledId, failureType: 'x', message }),
          apply: () => undefined,
        },
      ]);
      throw new Stopped(stopForError(run.state, 'x', message));
    }
    const messages = planned?.messages?.map((message) => ({
      ...message,
      id: `${firstTemporalRunId}/${activityId}/${run.messages.length}`,
    }));
    const changes =
      planned === undefined ? [] : [{ ...planned, ...(messages !== undefined && { messages }) }];
    const result = {
      moment,
      changes,
      ...(moment === 'onToolStart' && this.#actionsFor(about.calls ?? [])),
    };
    run.task([
      {
        record: () => void run.record({ type: 'activity-completed', scheduledId, result }),
        apply: () => run.apply({ type: 'hooks-asked', at: run.now, result }),
      },
    ]);
  }

  #actionsFor(calls: NonNullable<HookInput['calls']>) {
    const { actions } = this.#run.plan;
    const said = calls.map((call, index) => {
      return { callId: call.id, kind: actions[index % Math.max(1, actions.length)] ?? 'proceed' };
    });
    return {
      actions: said.flatMap(({ callId, kind }) =>
        kind === 'proceed' || kind === 'invalid' ? [] : [{ callId, action: { kind } }],
      ),
      invalid: said.flatMap(({ callId, kind }) =>
        kind === 'invalid' ? [{ callId, problem: `invalid arguments: ${callId}` }] : [],
      ),
    };
  }

  /** True when the transcript is sealed. */
  #seal(why: Pick<SealInput, 'boundary' | 'stopped'>): boolean {
    const run = this.#run;
    const { count, sealed } = run.state.transcript;
    if (count === 0) return false;
    if (sealed?.messages === count) return true;
    const sealing = this.#beginSeal(why);
    run.delay();
    run.task([sealing]);
    return run.state.transcript.sealed?.messages === count;
  }

  #beginSeal(why: Pick<SealInput, 'boundary' | 'stopped'>): Result {
    const run = this.#run;
    const { count } = run.state.transcript;
    const scheduledId = run.record({
      type: 'activity-scheduled',
      activityId: sealActivityId(run.state.iteration, count),
      name: 'everloopSealTranscript',
      input: { ...toAdvance(run.state), ...why },
    });
    run.apply({ type: 'told' });
    if (run.plan.sealsFail) {
      const message = 'the disk is full';
      return {
        record: () =>
          void run.record({ type: 'activity-failed', scheduledId, failureType: 'x', message }),
        apply: () => undefined,
      };
    }
    const ref = { hash: `of-${count}`, messages: count, bytes: count };
    return {
      record: () => void run.record({ type: 'activity-completed', scheduledId, result: ref }),
      apply: () => run.apply({ type: 'sealed', ref }),
    };
  }

  /** @throws Stopped when the call fails and no other model is asked */
  #callModel({ finish = false } = {}): void {
    const run = this.#run;
    for (;;) {
      const { model } = run.state;
      const error = this.#ask(finish);
      if (error === undefined) return;
      const { lastError, compactions } = run.state;
      const isLast = run.state.model === model;
      if (
        isLast &&
        !run.state.cancelRequested &&
        lastError &&
        mayCompactFor(run.state, lastError)
      ) {
        this.#compact();
        if (run.state.compactions !== compactions && !isStopping(run.state)) continue;
      }
      if (isLast || isCallOverBudget(run.state)) {
        throw new Stopped(stopForError(run.state, error.type, error.message));
      }
    }
  }

  /** Returns why the call failed. */
  #ask(finish: boolean): { readonly type: string; readonly message: string } | undefined {
    const run = this.#run;
    const { iteration, callsInIteration, model } = run.state;
    const activityId = modelActivityId(iteration, callsInIteration + 1);
    const scheduledId = run.record({
      type: 'activity-scheduled',
      activityId,
      name: 'everloopCallModel',
      input: {
        ...toAdvance(run.state),
        ...(model > 0 && { model }),
        ...(finish && { finish: true }),
      },
    });
    run.apply({ type: 'model-started' });
    run.isCutOff = false;
    run.delay();
    const answer = run.turn('answers', run.plan.answers);
    const isCutOff = run.isCutOff || run.state.cancelRequested;
    const cut = isCutOff ? run.turn('cuts', run.control.cuts) : 'as-planned';
    if (cut === 'lost' && run.state.cancelRequested) {
      run.task();
      return undefined;
    }
    if (cut === 'called-off') {
      run.task([
        {
          record: () => void run.record({ type: 'activity-cancelled', scheduledId }),
          apply() {
            if (run.state.cancelRequested) return;
            run.apply({ type: 'model-interrupted', activityId });
          },
        },
      ]);
      if (run.state.cancelRequested) throw new Stopped(cancelled);
      return undefined;
    }
    if (answer.fails && cut !== 'partial') return this.#failed(activityId, scheduledId, answer);
    const result =
      cut === 'partial'
        ? partialOf(run.state, answer)
        : answerOf(run.plan, run.state, answer, run.messages);
    run.usages.push(result.usage);
    this.#answered(activityId, scheduledId, result);
    return undefined;
  }

  #answered(activityId: string, scheduledId: number, result: ModelCallResult): void {
    const run = this.#run;
    run.task([
      {
        record: () => void run.record({ type: 'activity-completed', scheduledId, result }),
        apply: () => run.apply({ type: 'model-ended', at: run.now, activityId, result }),
      },
    ]);
    run.apply({ type: 'appended', entries: responseEntries(run.state) });
  }

  #failed(activityId: string, scheduledId: number, { text }: PlannedAnswer) {
    const run = this.#run;
    const type = modelFailureType(text === '' ? 'context_too_long' : 'server');
    const message = 'the model is away';
    run.task([
      {
        record: () =>
          void run.record({ type: 'activity-failed', scheduledId, failureType: type, message }),
        apply: () =>
          run.apply({ type: 'model-failed', at: run.now, activityId, error: { type, message } }),
      },
    ]);
    const { lastResponse } = run.state;
    const wasCutOff = lastResponse?.activityId === activityId && lastResponse.interrupted === true;
    return wasCutOff ? undefined : { type, message };
  }

  #compact(): void {
    const run = this.#run;
    const { iteration, transcript, phase, compaction } = run.state;
    const terms = compactionTerms(run.state);
    if (terms === undefined) return;
    const activityId = compactActivityId(iteration, transcript.count);
    const isBoundary = phase.kind === 'boundary';
    const scheduledId = run.record({
      type: 'activity-scheduled',
      activityId,
      name: 'everloopCallModel',
      input: {
        ...toAdvance(run.state),
        ...(compaction !== undefined && { compaction: compaction.message.id }),
        compact: { keep: terms.keep, ...(isBoundary && { boundary: true as const }) },
      },
    });
    run.apply({ type: 'told' });
    run.delay();
    const planned = run.turn('compactions', run.control.compactions);
    const from = Math.max(1, transcript.count - 1);
    const result: ModelCallResult = {
      message: {
        id: activityMessageId(firstTemporalRunId, activityId, 1),
        role: 'assistant',
        parts: [{ kind: 'text', text: 'In short.' }],
      },
      finishReason: 'stop',
      usage: { inputTokens: 10, outputTokens: 5 },
      ...(planned === 'done' && { compacted: { from } }),
    };
    if (planned !== 'failed') run.usages.push(result.usage);
    run.task([
      {
        record() {
          if (planned !== 'failed') {
            run.record({ type: 'activity-completed', scheduledId, result });
          } else {
            const message = 'the model is away';
            run.record({ type: 'activity-failed', scheduledId, failureType: 'x', message });
          }
        },
        apply: () =>
          run.apply({
            type: 'compacted',
            at: run.now,
            activityId,
            ...(planned !== 'failed' && { result }),
          }),
      },
    ]);
  }

  #runTools(): void {
    const run = this.#run;
    const ids = this.#openIds();
    if (run.state.agent?.serialTools === true) {
      for (const id of ids) if (!isStopping(run.state)) this.#runBatch([id]);
    } else this.#runBatch(ids);
    if (!isStopping(run.state)) this.#askAboutOwnResults();
    if (isStopping(run.state)) return;
    run.apply({ type: 'appended', entries: resultEntries(run.state) });
    this.#afterTools.push(run.state);
  }

  #openIds(): readonly string[] {
    return this.#run.state.pendingToolCalls.flatMap(({ call, status }) =>
      status === 'settled' ? [] : [call.id],
    );
  }

  #runBatch(ids: readonly string[]): void {
    const run = this.#run;
    const toAsk = run.state.pendingToolCalls.filter(
      (pending) =>
        ids.includes(pending.call.id) && pending.status === 'proposed' && pending.asked !== true,
    );
    if (mustAsk(run.state, toAsk)) {
      this.#askHooks('onToolStart', { calls: toAsk.map(({ call }) => call) });
    }
    if (isStopping(run.state)) return;
    const begin = () => {
      const { sealed, count } = run.state.transcript;
      if (sealed?.messages === count) this.#leave();
      return this.#beginSeal({});
    };
    const leave = () => {
      const { sealed, count } = run.state.transcript;
      if (sealed?.messages === count) this.#leave();
    };
    new SimulatedTools(run, { begin, leave }).work(ids);
  }

  #askAboutOwnResults(): void {
    const own = this.#run.state.pendingToolCalls.flatMap((pending) =>
      pending.status === 'settled' && (pending.placeholder || pending.answered) ? [pending] : [],
    );
    if (own.length === 0) return;
    this.#askHooks('onToolEnd', {
      calls: own.map(({ call }) => call),
      results: own.map(({ message: { createdAt: _, inherited: __, ...message } }) => message),
    });
  }
}
