/** The model's part in a simulated run: answers, failures, calls that are cut off, summaries. */
import { isCallOverBudget } from '../../src/loop/budget.ts';
import type { ModelCallResult } from '../../src/loop/calls.ts';
import { responseEntries } from '../../src/loop/close-calls.ts';
import { compactionTerms, mayCompactFor } from '../../src/loop/compaction.ts';
import { cancelled, isStopping, stopForError } from '../../src/loop/decide.ts';
import { modelFailureType } from '../../src/loop/failure-types.ts';
import {
  activityMessageId,
  compactActivityId,
  modelActivityId,
} from '../../src/loop/message-ids.ts';
import type { Stop } from '../../src/loop/stop.ts';
import { toAdvance } from '../../src/loop/to-advance.ts';
import type { PlannedAnswer } from './plan.ts';
import type { SimulatedHistory } from './simulated-history.ts';
import { firstTemporalRunId } from './simulated-history.ts';
import { answerOf, partialOf } from './simulated-messages.ts';

/** The run is over for this reason, wherever it is. */
export class Stopped extends Error {
  readonly stop: Stop;
  constructor(stop: Stop) {
    super(stop.detail);
    this.stop = stop;
  }
}

export class SimulatedModel {
  readonly #run: SimulatedHistory;

  constructor(run: SimulatedHistory) {
    this.#run = run;
  }

  /** @throws Stopped when the call fails and no other model is asked */
  callModel({ finish = false } = {}): void {
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
        this.compact();
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

  compact(): void {
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
}
