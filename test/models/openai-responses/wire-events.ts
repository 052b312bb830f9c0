/** Events of the Responses API as tests write them, and the responses they add up to. */
import { createAccumulator } from '../../../src/chat/accumulator.ts';
import type { Part } from '../../../src/chat/part.ts';
import type { ReportEntry } from '../../../src/chat/report.ts';
import type { Response } from '../../../src/chat/response.ts';
import type { ResponseDelta } from '../../../src/chat/response-delta.ts';
import { endOfStream } from '../../../src/models/openai-responses/end-of-stream.ts';
import { readEvent } from '../../../src/models/openai-responses/read-event.ts';
import { initialReadState } from '../../../src/models/openai-responses/read-state.ts';

/** Everything that comes of a stream. */
export interface WholeReading {
  readonly deltas: readonly ResponseDelta[];
  readonly response: Response;
  readonly report: readonly ReportEntry[];
}

/** Reads all events and puts the deltas together. */
export function read(events: readonly unknown[]): WholeReading {
  let state = initialReadState;
  const deltas: ResponseDelta[] = [];
  for (const event of events) {
    const step = readEvent(state, event);
    state = step.state;
    if (step.delta !== undefined) deltas.push(step.delta);
  }
  const end = endOfStream(state);
  deltas.push(end.delta);
  const accumulator = createAccumulator();
  for (const delta of deltas) accumulator.add(delta);
  return { deltas, response: accumulator.response(), report: end.report };
}

/** The parts of the message, without their metadata. */
export function saidIn(events: readonly unknown[]): object[] {
  return partsOf(events).map(({ metadata, ...part }) => part);
}

/** The parts of the message. */
export function partsOf(events: readonly unknown[]): Part[] {
  return read(events).response.output.message?.parts ?? [];
}

/** The terminal event of an answer that came to its end. */
export const completed = (more: object = {}) => ({
  type: 'response.completed',
  response: { id: 'r1', status: 'completed', ...more },
});

/** An item at an output index, as it is announced. */
export const added = (output_index: number, item: object) => ({
  type: 'response.output_item.added',
  output_index,
  item,
});

/** An item at an output index, as it ended. */
export const done = (output_index: number, item: object) => ({
  type: 'response.output_item.done',
  output_index,
  item,
});

/** Any event that belongs to a text of an item: `output_text.delta`, `refusal.done`, … */
export const textEvent = (name: string, output_index: number, more: object) => ({
  type: `response.${name}`,
  output_index,
  ...more,
});

/** A message item with one text. */
export const message = (id: string, text: string, more: object = {}) => ({
  type: 'message',
  id,
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
  ...more,
});

/** A function call item. */
export const call = (id: string, call_id: string, args: string, more: object = {}) => ({
  type: 'function_call',
  id,
  call_id,
  name: 'f',
  arguments: args,
  status: 'completed',
  ...more,
});

/** A reasoning item with one summary text. */
export const reasoning = (id: string, text: string, encrypted_content: string | null) => ({
  type: 'reasoning',
  id,
  summary: text === '' ? [] : [{ type: 'summary_text', text }],
  encrypted_content,
});
