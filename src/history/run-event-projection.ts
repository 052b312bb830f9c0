/** The durable events of a run, read from its history: the same every time, and there with no Worker alive. */
import { nearLimits, spendingOf } from '../loop/budget-use.ts';
import type { Attempt } from '../loop/calls.ts';
import { startedChild } from '../loop/child-end.ts';
import type { DurableEventTable, RunEvent, RunEventType, ToolEnd } from '../loop/events.ts';
import type { Departure } from '../loop/from-point.ts';
import type { HookChanges } from '../loop/hook-changes.ts';
import type { LoopState, PendingToolCall } from '../loop/loop-state.ts';
import { modelActivityId, toolActivityId } from '../loop/message-ids.ts';
import { isPointArgument, isRunInput } from '../loop/read-input.ts';
import type { RunEnd } from '../loop/run-status.ts';
import type { Closed, RecordedEvent } from './recorded-event.ts';
import type { Step } from './run-projection.ts';
import { RunProjection } from './run-projection.ts';
import { waitEvents } from './wait-events.ts';

/** Turns the recorded events of one Temporal run into run events, one history event at a time. */
export class RunEventProjection {
  readonly #projection: RunProjection;
  readonly #runId: string;
  readonly #temporalRunId: string;
  #event: RecordedEvent | undefined;
  #told: RunEvent[] = [];
  /** What has begun and not ended: an iteration, a model call. */
  #iterationOpen = false;
  #modelOpen = false;
  /** Limits that were warned of, each with its height. */
  readonly #warned = new Set<string>();

  /** @param temporalRunId the Temporal run whose events are added: event ids name it */
  constructor(runId: string, temporalRunId: string) {
    this.#runId = runId;
    this.#temporalRunId = temporalRunId;
    this.#projection = new RunProjection(runId, (step) => this.#step(step));
  }

  /** LoopState after the events so far. */
  get state(): LoopState | undefined {
    return this.#projection.state;
  }

  /** The run events that `event` makes known, in order. */
  add(event: RecordedEvent): readonly RunEvent[] {
    this.#event = event;
    this.#told = [];
    this.#projection.add(event);
    if (event.type === 'child-initiated') this.#child(event);
    if (event.type === 'closed') this.#closed(event.closed);
    return this.#told;
  }

  #emit<Type extends RunEventType>(
    state: LoopState,
    type: Type,
    data: DurableEventTable[Type],
  ): void {
    if (this.#event === undefined) return;
    const { id: eventId, at } = this.#event;
    const run = `${state.generation}.${this.#temporalRunId.slice(-6)}`;
    const id = `${run}.${eventId}.${this.#told.length}`;
    const { iteration } = state;
    // The mapped union cannot be indexed by a type parameter; the signature ties type and data together.
    this.#told.push({ id, runId: this.#runId, iteration, type, at, data } as RunEvent);
  }

  #step(step: Step): void {
    const { fact, before, after } = step;
    if (fact.type === 'stopped' && before !== undefined) this.#stopping(before, after);
    if (fact.type === 'iteration-ended') this.#endIteration(after);
    this.#began(step);
    this.#callEnded(step);
    this.#nearLimits(step);
    this.#extensions(step);
    for (const { type, data } of waitEvents(step)) this.#emit(after, type, data);
    // A run that goes on from a state has told the messages of that state before.
    if (before !== undefined) this.#messages(before, after);
    const { repairs } = after;
    if (before !== undefined && fact.type !== 'restored' && repairs.length > before.repairs.length)
      this.#emit(after, 'repair', { repairs });
    if (fact.type === 'stopped') this.#stopped(after);
    if (fact.type === 'ended') this.#end(after, after.stop?.reason ?? 'error', after.stop?.detail);
  }

  #began({ fact, before, after }: Step): void {
    switch (fact.type) {
      case 'run-started':
        this.#emit(after, 'run-start', { agent: after.start.agent, title: after.title });
        break;
      case 'restored':
        this.#restored(after, fact.how);
        break;
      case 'iteration-started':
        this.#iterationOpen = true;
        this.#emit(after, 'iteration-start', {});
        break;
      case 'went-on':
        this.#iterationOpen = after.pendingToolCalls.length > 0;
        break;
      case 'model-started':
        this.#modelOpen = true;
        this.#emit(after, 'model-start', {
          activityId: modelActivityId(after.iteration, after.callsInIteration),
          model: after.agent?.models[after.model] ?? '',
        });
        break;
      case 'tool-started':
        this.#emit(after, 'tool-start', {
          callId: fact.callId,
          name: nameOf(before?.pendingToolCalls ?? [], fact.callId),
        });
        break;
      case 'compacted': {
        const { compaction } = after;
        if (compaction === undefined || compaction === before?.compaction) break;
        const { from } = compaction;
        const folded = from - (before?.compaction?.from ?? 0);
        this.#emit(after, 'compaction', { activityId: fact.activityId, from, folded });
        break;
      }
      case 'child-started': {
        const { callId, runId, agent } = fact;
        const name = nameOf(before?.pendingToolCalls ?? [], callId);
        this.#emit(after, 'tool-start', { callId, name });
        this.#emit(after, 'child-start', { callId, runId, agent });
        break;
      }
      case 'message-refused':
        this.#emit(after, 'message-refused', {});
        break;
    }
  }

  /** A fork begins with it; a run that was taken back goes on. */
  #restored(state: LoopState, how: Departure): void {
    const { generation, iteration, transcript, forkedFrom, start, title } = state;
    if (how === 'forked') {
      const data = { agent: start.agent, title, ...(forkedFrom !== undefined && { forkedFrom }) };
      this.#emit(state, 'run-start', data);
      return;
    }
    this.#emit(state, 'rewound', {
      generation,
      temporalRunId: this.#temporalRunId,
      how,
      toIteration: iteration,
      messages: transcript.count,
    });
  }

  #child({ runId, input }: Extract<RecordedEvent, { type: 'child-initiated' }>): void {
    const { state } = this.#projection;
    if (state === undefined || !isRunInput(input) || startedChild(input) !== undefined) return;
    if (!isPointArgument(input)) return;
    const { message } = input.from.point;
    if (message !== undefined) this.#emit(state, 'fork', { runs: [runId], at: message });
  }

  #callEnded({ fact, after }: Step): void {
    switch (fact.type) {
      case 'model-ended': {
        const { activityId, result } = fact;
        this.#attemptsLost(after, activityId, result.attempts);
        this.#modelOpen = false;
        const { finishReason, usage } = result;
        const attempts = (result.attempts?.length ?? 0) + 1;
        this.#emit(after, 'model-end', {
          activityId,
          status: 'finished',
          finishReason,
          ...(usage !== undefined && { usage }),
          attempts,
        });
        break;
      }
      case 'model-interrupted': {
        const { activityId } = fact;
        this.#modelOpen = false;
        this.#emit(after, 'model-end', { activityId, status: 'not-finished' });
        break;
      }
      case 'model-failed': {
        const { activityId, error } = fact;
        this.#modelOpen = false;
        this.#emit(after, 'model-end', { activityId, status: 'failed', error });
        break;
      }
      case 'child-ended': {
        const child = after.children?.find(({ runId }) => runId === fact.runId);
        if (child === undefined) break;
        const { callId, runId, stopReason } = child;
        const data = { callId, runId, ...(stopReason !== undefined && { stopReason }) };
        this.#emit(after, 'child-end', data);
        const name = nameOf(after.pendingToolCalls, callId);
        this.#emit(after, 'tool-end', { callId, name, status: toolEnd(after, callId) });
        break;
      }
      case 'tool-ended': {
        const { callId, outcome } = fact;
        const attempts = outcome.status === 'finished' ? outcome.attempts : undefined;
        this.#attemptsLost(after, toolActivityId(after.iteration, callId), attempts);
        const name = nameOf(after.pendingToolCalls, callId);
        this.#emit(after, 'tool-end', { callId, name, status: toolEnd(after, callId) });
        break;
      }
    }
  }

  /** Each limit once: a run that goes on from a state was warned before of what it was near to. */
  #nearLimits({ before, after }: Step): void {
    for (const use of nearLimits(after, this.#event?.at ?? after.startedAt)) {
      const key = `${use.limit}/${use.allowed}`;
      if (this.#warned.has(key)) continue;
      this.#warned.add(key);
      if (before !== undefined) this.#emit(after, 'budget-warning', use);
    }
  }

  /** What hooks tell, wherever they were asked. */
  #extensions({ fact, after }: Step): void {
    for (const { hook, events = [] } of changesIn(fact)) {
      for (const { type, data } of events) this.#emit(after, `${hook}.${type}`, data);
    }
  }

  #attemptsLost(state: LoopState, activityId: string, attempts: readonly Attempt[] = []): void {
    for (const { attempt, startedAt } of attempts) {
      this.#emit(state, 'attempt-lost', {
        activityId,
        attempt,
        ...(startedAt !== undefined && { startedAt }),
      });
    }
  }

  #messages(before: LoopState, after: LoopState): void {
    const { tail, count } = after.transcript;
    for (let index = before.transcript.count; index < count; index += 1) {
      const message = tail[index - (count - tail.length)];
      if (message !== undefined) this.#emit(after, 'message', { index, message });
    }
  }

  /** The stop closes what is open, before the placeholders that it appends. */
  #stopping(before: LoopState, after: LoopState): void {
    if (this.#modelOpen) {
      this.#modelOpen = false;
      const activityId = modelActivityId(after.iteration, after.callsInIteration);
      this.#emit(after, 'model-end', { activityId, status: 'not-finished' });
    }
    this.#endTools(before);
  }

  #stopped(after: LoopState): void {
    this.#endIteration(after);
    if (after.stop?.reason !== 'error') return;
    const { errorType = '', detail } = after.stop;
    this.#emit(after, 'error', { type: errorType, message: detail });
  }

  #endTools(state: LoopState): void {
    for (const { status, call } of state.pendingToolCalls) {
      if (status !== 'running') continue;
      const { id: callId, name } = call;
      this.#emit(state, 'tool-end', { callId, name, status: 'not-finished' });
    }
  }

  #endIteration(state: LoopState): void {
    if (!this.#iterationOpen) return;
    this.#iterationOpen = false;
    this.#emit(state, 'iteration-end', {});
  }

  #end(state: LoopState, stopReason: RunEnd, detail = ''): void {
    const { usage, lastResponse, lastError } = state;
    const { costUsd } = spendingOf(state);
    this.#emit(state, 'run-end', {
      stopReason,
      detail,
      usage,
      ...(costUsd !== undefined && { costUsd }),
      ...(lastResponse !== undefined && { finishReason: lastResponse.finishReason }),
      ...(lastError !== undefined && { lastError }),
    });
  }

  /** A run that Temporal's own tools closed made no stop of its own; its events end all the same. */
  #closed(closed: Closed): void {
    const state = this.#projection.state;
    if (state === undefined) return;
    if (closed.how === 'continued') {
      const generation = state.generation + 1;
      this.#emit(state, 'continued', { generation, temporalRunId: closed.temporalRunId });
    }
    if (closed.how === 'continued' || state.endedAt !== undefined) return;
    if (state.stop === undefined) this.#stopping(state, state);
    this.#endIteration(state);
    const reason = endOf(closed);
    const detail =
      closed.how === 'failed'
        ? closed.message
        : `The run was closed (${reason}) by Temporal's own tools.`;
    this.#end(state, reason, detail);
  }
}

function changesIn(fact: Step['fact']): readonly HookChanges[] {
  if (fact.type === 'hooks-asked') return fact.result.changes;
  if (fact.type === 'model-ended') return fact.result.changes ?? [];
  if (fact.type !== 'tool-ended' || fact.outcome.status !== 'finished') return [];
  return fact.outcome.changes ?? [];
}

/** The end of a run that Temporal closed before the run itself had come to one. */
function endOf({ how }: Closed): RunEnd {
  if (how === 'terminated' || how === 'cancelled') return how;
  return how === 'timed-out' ? 'timed_out' : 'error';
}

function nameOf(pending: readonly PendingToolCall[], callId: string): string {
  return pending.find(({ call }) => call.id === callId)?.call.name ?? '';
}

function toolEnd(state: LoopState, callId: string): ToolEnd {
  const pending = state.pendingToolCalls.find(({ call }) => call.id === callId);
  if (pending?.status !== 'settled' || pending.placeholder) return 'not-finished';
  const [part] = pending.message.parts;
  return part?.kind === 'tool_result' && part.toolResult.isError === true ? 'error' : 'finished';
}
