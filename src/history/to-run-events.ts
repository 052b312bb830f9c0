/** The durable events of a run, read from its history: the same every time, and there with no Worker alive. */
import { ModelCallInput } from '../loop/calls.ts';
import type { RunEvent, RunEventData, RunEventType, ToolEnd } from '../loop/events.ts';
import type { LoopState, PendingToolCall } from '../loop/loop-state.ts';
import { titleOf } from '../loop/run-memo.ts';
import type { RecordedEvent } from './recorded-event.ts';
import { RunProjection } from './run-projection.ts';

/** Generation of a run within its id; runs that never went on from a state have only the first. */
const generation = 1;

/** Turns recorded events into run events, one history event at a time. */
export class RunEventProjection {
  readonly #projection: RunProjection;
  readonly #runId: string;
  #messages = 0;
  #stopped = false;

  constructor(runId: string) {
    this.#runId = runId;
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
    const emit: Emit = (type, data) => {
      const temporalRun = state.temporalRunId.slice(-6);
      const id = `${generation}.${temporalRun}.${event.id}.${events.length}`;
      const { iteration } = state;
      // The mapped union cannot be indexed by a type parameter; `emit` ties type and data together.
      events.push({ id, runId: this.#runId, iteration, type, at: event.at, data } as RunEvent);
    };
    if (before === undefined) {
      emit('run-start', { agent: state.start.agent, title: titleOf(state.start) });
    }
    if (before !== undefined && state.iteration > before.iteration) {
      if (before.iteration > 0) emit('iteration-end', {});
      emit('iteration-start', { received: receivedBy(event) });
    }
    emitCalls(before, state, emit);
    for (const message of state.transcript.tail.slice(this.#messages)) {
      emit('message', { message });
    }
    this.#messages = state.transcript.tail.length;
    if (state.stop !== undefined && !this.#stopped) {
      this.#stopped = true;
      const { reason, detail } = state.stop;
      emit('run-end', { stopReason: reason, detail, usage: state.usage });
    }
    return events;
  }
}

type Emit = <Type extends RunEventType>(type: Type, data: RunEventData[Type]) => void;

function emitCalls(before: LoopState | undefined, state: LoopState, emit: Emit): void {
  if (state.modelCalls > (before?.modelCalls ?? 0) && state.lastResponse !== undefined) {
    const { finishReason, attempts } = state.lastResponse;
    emit('model-end', { finishReason, attempts });
  }
  for (const pending of state.pendingToolCalls) {
    const earlier = before?.pendingToolCalls.find((call) => call.call.id === pending.call.id);
    const { id: callId, name } = pending.call;
    if (pending.status === earlier?.status) continue;
    if (pending.status === 'running') emit('tool-start', { callId, name });
    if (pending.status === 'settled') emit('tool-end', { callId, name, status: endOf(pending) });
  }
}

function endOf(pending: Extract<PendingToolCall, { status: 'settled' }>): ToolEnd {
  if (pending.placeholder) return 'not-finished';
  const [part] = pending.message.parts;
  return part?.kind === 'tool_result' && part.toolResult.isError === true ? 'error' : 'finished';
}

function receivedBy(event: RecordedEvent): readonly string[] {
  if (event.type !== 'activity-scheduled') return [];
  const input = ModelCallInput.safeParse(event.input);
  return input.success ? (input.data.received ?? []) : [];
}
