/** The durable events of a run, read from its history: the same every time, and there with no Worker alive. */
import { ModelCallInput } from '../loop/calls.ts';
import type { RunEvent, RunEventData, RunEventType, ToolEnd } from '../loop/events.ts';
import type { LoopState } from '../loop/loop-state.ts';
import { titleOf } from '../loop/to-run-memo.ts';
import type { RecordedEvent } from './recorded-event.ts';
import { RunProjection } from './run-projection.ts';

/** Generation of a run within its id; runs that never went on from a state have only the first. */
const generation = 1;

/** Turns recorded events into run events, one history event at a time. */
export class RunEventProjection {
  readonly #projection: RunProjection;
  readonly #runId: string;
  readonly #temporalRunId: string;
  #messages = 0;
  #stopped = false;

  /** @param temporalRunId the Temporal run whose events are added: event ids name it */
  constructor(runId: string, temporalRunId: string) {
    this.#runId = runId;
    this.#temporalRunId = temporalRunId;
    this.#projection = new RunProjection(runId);
  }

  /** LoopState after the events so far. */
  get state(): LoopState | undefined {
    return this.#projection.state;
  }

  /** The run events that `event` makes known, in order. */
  add(event: RecordedEvent): readonly RunEvent[] {
    const before = this.#projection.state;
    this.#projection.add(event);
    const state = this.#projection.state;
    if (state === undefined) return [];
    const events: RunEvent[] = [];
    const emit: Emit = (type, data, iteration = state.iteration) => {
      const temporalRun = this.#temporalRunId.slice(-6);
      const id = `${generation}.${temporalRun}.${event.id}.${events.length}`;
      // The mapped union cannot be indexed by a type parameter; `emit` ties type and data together.
      events.push({ id, runId: this.#runId, iteration, type, at: event.at, data } as RunEvent);
    };
    if (before === undefined) {
      emit('run-start', { agent: state.start.agent, title: titleOf(state.start) });
    }
    if (before !== undefined && state.iteration > before.iteration) {
      if (before.iteration > 0) emit('iteration-end', {}, before.iteration);
      emit('iteration-start', { received: receivedBy(event) });
    }
    emitCalls(before, state, emit);
    for (const message of state.transcript.tail.slice(this.#messages)) {
      emit('message', { message });
    }
    this.#messages = state.transcript.tail.length;
    const end = state.stop ?? closedOtherwise(event);
    if (end !== undefined && !this.#stopped) {
      this.#stopped = true;
      if (state.stop === undefined) endOpenCalls(state, emit);
      if (state.iteration > 0) emit('iteration-end', {});
      emit('run-end', { stopReason: end.reason, detail: end.detail, usage: state.usage });
    }
    return events;
  }
}

type Emit = <Type extends RunEventType>(
  type: Type,
  data: RunEventData[Type],
  iteration?: number,
) => void;

function emitCalls(before: LoopState | undefined, state: LoopState, emit: Emit): void {
  if (state.modelCalls > (before?.modelCalls ?? 0) && state.lastResponse !== undefined) {
    const { finishReason, attempts } = state.lastResponse;
    emit('model-end', { finishReason, attempts });
  }
  for (const { status, call } of state.pendingToolCalls) {
    if (status === 'running' && !isRunning(before, call.id)) {
      emit('tool-start', { callId: call.id, name: call.name });
    }
  }
  for (const { status, call } of before?.pendingToolCalls ?? []) {
    if (status === 'running' && !isRunning(state, call.id)) {
      emit('tool-end', { callId: call.id, name: call.name, status: endOf(state, call.id) });
    }
  }
}

/** A run that Temporal's own tools closed made no stop of its own; its events end all the same. */
function closedOtherwise(
  event: RecordedEvent,
): { reason: RunEventData['run-end']['stopReason']; detail: string } | undefined {
  if (event.type !== 'closed') return undefined;
  const { how } = event.closed;
  if (how !== 'terminated' && how !== 'timed-out') return undefined;
  return { reason: how, detail: `The run was ${how} by Temporal's own tools.` };
}

function endOpenCalls(state: LoopState, emit: Emit): void {
  for (const { status, call } of state.pendingToolCalls) {
    if (status !== 'running') continue;
    emit('tool-end', { callId: call.id, name: call.name, status: 'not-finished' });
  }
}

function isRunning(state: LoopState | undefined, callId: string): boolean {
  const pending = state?.pendingToolCalls.find(({ call }) => call.id === callId);
  return pending?.status === 'running';
}

/** A call that is open no more either waits with its result for the others, or was closed by the stop. */
function endOf(state: LoopState, callId: string): ToolEnd {
  const pending = state.pendingToolCalls.find(({ call }) => call.id === callId);
  if (pending?.status !== 'settled' || pending.placeholder) return 'not-finished';
  const [part] = pending.message.parts;
  return part?.kind === 'tool_result' && part.toolResult.isError === true ? 'error' : 'finished';
}

function receivedBy(event: RecordedEvent): readonly string[] {
  if (event.type !== 'activity-scheduled') return [];
  const input = ModelCallInput.safeParse(event.input);
  return input.success ? (input.data.received ?? []) : [];
}
