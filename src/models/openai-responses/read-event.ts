/** Turns the events of a Responses stream into deltas, one event at a time and without I/O. */
import type { ResponseDelta } from '../../chat/response-delta.ts';
import type { ReadStep } from '../adapter/adapter-model.ts';
import { createdAt } from '../adapter/created-at.ts';
import { invalidResponse } from '../adapter/invalid-response.ts';
import { membersOf } from '../adapter/members-of.ts';
import { toProviderError } from '../adapter/to-model-error.ts';
import type { Segment, SegmentKind } from './output-item.ts';
import { segmentKey } from './output-item.ts';
import { parseWire } from './parse-wire.ts';
import { endContent, readItemEnd, readItemStart } from './read-item.ts';
import type { Reading, ReadState } from './read-state.ts';
import { addAnnotations, addText, endText, withItem } from './read-state.ts';
import type { WireItem, WireResponse } from './wire-event.ts';
import { WireEvent } from './wire-event.ts';

/** Which text an event carries a piece of. */
const pieces: Readonly<Record<string, SegmentKind>> = {
  'response.output_text.delta': 'text',
  'response.refusal.delta': 'refusal',
  'response.reasoning_text.delta': 'reasoning',
  'response.reasoning_summary_text.delta': 'summary',
  'response.function_call_arguments.delta': 'arguments',
};

/** Which text an event carries as it ended. */
const ends: Readonly<Record<string, SegmentKind>> = {
  'response.output_text.done': 'text',
  'response.refusal.done': 'refusal',
  'response.reasoning_text.done': 'reasoning',
  'response.reasoning_summary_text.done': 'summary',
  'response.function_call_arguments.done': 'arguments',
};

/** The other events that say something; keepalives and everything unknown say nothing. */
const others: ReadonlySet<string> = new Set([
  'response.created',
  'response.queued',
  'response.in_progress',
  'response.output_item.added',
  'response.output_item.done',
  'response.content_part.done',
  'response.output_text.annotation.added',
  'response.completed',
  'response.incomplete',
  'response.failed',
  'response.cancelled',
]);

/**
 * Reads one event. The delta is absent when the event says nothing that can be passed on yet; nothing that
 * follows a terminal event is read.
 *
 * @throws ModelError `invalid_response` for what no Responses stream may contain, and the provider's own
 *   error when it says that the answer failed
 */
export function readEvent(state: ReadState, wire: unknown): ReadStep<ReadState> {
  const type = membersOf(wire)?.['type'];
  if (typeof type !== 'string' || isFinished(state)) return { state };
  if (type === 'error') throw toProviderError(wire, 'the provider sent an error');
  if (!(type in pieces || type in ends || others.has(type))) return { state };
  const event = parseWire(WireEvent, wire, type);

  const reading = readOutput({ state, parts: [] }, event);
  const metadata = event.response == null ? {} : metadataOf(event.response);
  const announced = JSON.stringify(metadata);
  const isNews = announced !== '{}' && announced !== state.announced;
  const next = isNews ? { ...reading.state, announced } : reading.state;
  const { parts } = reading;
  if (parts.length === 0 && !isNews) return { state: next };
  return {
    state: next,
    delta: { ...(parts.length > 0 ? { parts: [...parts] } : {}), ...(isNews ? { metadata } : {}) },
  };
}

/** True once the provider has said how the answer ended. */
export function isFinished(state: ReadState): boolean {
  return state.ended !== undefined;
}

function readOutput(before: Reading, event: WireEvent): Reading {
  const outputIndex = event.output_index ?? indexOf(before.state, event.item_id);
  const isNew = event.item_id && !before.state.items.has(outputIndex);
  const reading = isNew
    ? withItem(before, outputIndex, { id: event.item_id ?? undefined })
    : before;
  const segment = (kind: SegmentKind): Segment => ({
    outputIndex,
    kind,
    index: (kind === 'summary' ? event.summary_index : event.content_index) ?? 0,
  });
  const pieceOf = pieces[event.type];
  if (pieceOf !== undefined) return addText(reading, segment(pieceOf), event.delta ?? '');
  const endOf = ends[event.type];
  if (endOf !== undefined) {
    const whole = event[endOf === 'refusal' || endOf === 'arguments' ? endOf : 'text'];
    // An empty text says nothing, but empty arguments are arguments.
    if (whole == null || (whole === '' && endOf !== 'arguments')) return reading;
    return endText(reading, segment(endOf), whole);
  }
  switch (event.type) {
    case 'response.output_item.added':
      return event.item == null ? reading : readItemStart(reading, outputIndex, event.item);
    case 'response.output_item.done':
      return event.item == null ? reading : readItemEnd(reading, outputIndex, event.item);
    case 'response.content_part.done':
      return event.part == null
        ? reading
        : endContent(reading, outputIndex, event.content_index ?? 0, event.part);
    case 'response.output_text.annotation.added': {
      if (event.annotation == null) return reading;
      const at = segment('text');
      const known = reading.state.annotations.get(segmentKey(at)) ?? [];
      return addAnnotations(reading, at, [...known, event.annotation]);
    }
    case 'response.completed':
    case 'response.incomplete':
    case 'response.failed':
    case 'response.cancelled':
      return readResponseEnd(reading, event);
    default:
      return reading;
  }
}

/** An event without an index belongs to the item of its id, else to the newest. */
function indexOf({ items }: ReadState, id: string | null | undefined): number {
  for (const [index, item] of items) if (id && item.id === id) return index;
  return Math.max(0, ...items.keys());
}

/**
 * The end of the response. What was streamed is not read again: its output only adds items that were not
 * seen, and ends those that did not end on their own.
 */
function readResponseEnd(before: Reading, { type, response }: WireEvent): Reading {
  if (response == null) throw invalidResponse(`${type} came without its response`);
  if (type === 'response.failed' || response.status === 'failed') {
    throw toProviderError(response.error, 'the provider could not answer');
  }
  if (type === 'response.cancelled' || response.status === 'cancelled') {
    throw toProviderError(response.error, 'the answer was cancelled at the provider');
  }
  let reading = before;
  for (const [index, item] of (response.output ?? []).entries()) {
    const known = reading.state.items.get(index);
    const isNew = known === undefined && !isKnown(reading.state, item);
    if (isNew || (known !== undefined && !known.isDone && isSame(known, item))) {
      reading = readItemEnd(reading, index, item);
    }
  }
  const ended = { ...response, status: response.status ?? type.slice('response.'.length) };
  return { ...reading, state: { ...reading.state, ended } };
}

type KnownItem = ReadState['items'] extends ReadonlyMap<number, infer Item> ? Item : never;

/** Item ids may change between the events of one item; call ids do not. */
function isSame({ id, call }: KnownItem, item: WireItem): boolean {
  if (call !== undefined) return item['call_id'] === call.wireId || item.id === call.wireId;
  return id === undefined || !item.id || id === item.id;
}

function isKnown({ items }: ReadState, item: WireItem): boolean {
  return [...items.values()].some(
    ({ id, call }) =>
      (id !== undefined && id === item.id) ||
      (call !== undefined && call.wireId === item['call_id']),
  );
}

/** Empty ids, empty model names and time 0 are no news. */
function metadataOf(response: WireResponse): NonNullable<ResponseDelta['metadata']> {
  const id = response.id?.trim();
  const model = response.model?.trim();
  const created = createdAt(response.created_at);
  return {
    ...(id ? { id } : {}),
    ...(model ? { model } : {}),
    ...(created === undefined ? {} : { createdAt: created }),
    ...(response.service_tier ? { extra: { 'openai/service_tier': response.service_tier } } : {}),
  };
}
