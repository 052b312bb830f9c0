/** Plays a whole run on the pure loop: the part of Workflow, server, model, tools and people at once. Yields what the Workflow saw and what its history would hold. */

import type { TranscriptMessage } from '../../src/chat/transcript-message.ts';
import type { Usage } from '../../src/chat/usage.ts';
import type { RecordedEvent } from '../../src/history/recorded-event.ts';
import { isCallOverBudget } from '../../src/loop/budget.ts';
import type { SealInput } from '../../src/loop/calls.ts';
import { resultEntries } from '../../src/loop/close-calls.ts';
import { isCompactionDue } from '../../src/loop/compaction.ts';
import { continuedState } from '../../src/loop/continuation.ts';
import {
  afterModel,
  beforeIteration,
  isStopping,
  receivable,
  stopForError,
} from '../../src/loop/decide.ts';
import type { HookInput } from '../../src/loop/hook-changes.ts';
import type { HookMoment } from '../../src/loop/hook-moment.ts';
import type { LoopState } from '../../src/loop/loop-state.ts';
import { hookActivityId, sealActivityId } from '../../src/loop/message-ids.ts';
import type { Stop } from '../../src/loop/stop.ts';
import { toAdvance } from '../../src/loop/to-advance.ts';
import { shortened } from '../../src/loop/to-run-memo.ts';
import { mustAsk } from '../../src/loop/wait.ts';
import type { Plan } from './plan.ts';
import type { Result } from './simulated-history.ts';
import { firstTemporalRunId, SimulatedHistory } from './simulated-history.ts';
import { SimulatedModel, Stopped } from './simulated-model.ts';
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

/** The run goes on in a new Temporal run. */
class Continued extends Error {}

class Player {
  readonly #run: SimulatedHistory;
  readonly #model: SimulatedModel;
  readonly #afterTools: LoopState[] = [];
  /** Iterations after which the run has tried to continue as new. */
  readonly #left = new Set<number>();

  constructor(plan: Plan) {
    this.#run = new SimulatedHistory(plan);
    this.#model = new SimulatedModel(this.#run);
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
      if (isCompactionDue(run.state)) this.#model.compact();
      if (isStopping(run.state)) return undefined;
      const iteration = run.state.iteration + 1;
      run.apply({ type: 'iteration-started', iteration, received: receivable(run.state) });
      this.#model.callModel();
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
    this.#model.callModel({ finish: true });
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
