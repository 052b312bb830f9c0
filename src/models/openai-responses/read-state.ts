/** What has to be remembered between the events of a stream, and the steps that change it. */
import type { Citation } from '../../chat/citation.ts';
import type { JsonObject } from '../../chat/json.ts';
import type { PartDelta } from '../../chat/part-delta.ts';
import { freeId } from '../adapter/free-id.ts';
import { wellFormed } from '../adapter/well-formed.ts';
import type { OutputItem, Segment } from './output-item.ts';
import { partMetadata, segmentKey, textKey, unknownItem } from './output-item.ts';
import { readAnnotation } from './read-annotation.ts';
import type { TextStep } from './received-text.ts';
import { addPiece, completeText, nothingReceived } from './received-text.ts';
import type { WireResponse } from './wire-event.ts';

/** All that is known of an answer so far. */
export interface ReadState {
  /** Response metadata that was passed on already, as JSON text: it comes with several events. */
  readonly announced: string;
  readonly items: ReadonlyMap<number, OutputItem>;
  readonly hasParts: boolean;
  readonly isRefused: boolean;
  /** The text that is the last part, which citations can join. */
  readonly lastText: string | undefined;
  /** All annotations as they came, by text. */
  readonly annotations: ReadonlyMap<string, readonly unknown[]>;
  /** Citations that came before their text, or after other parts. */
  readonly citations: readonly { readonly segment: string; readonly citation: Citation }[];
  /** What is known of an item only when it is done, and items that no part stands for. */
  readonly notes: ReadonlyMap<number, JsonObject>;
  /** The response as it ended. */
  readonly ended: WireResponse | undefined;
}

/** Before the first event. */
export const initialReadState: ReadState = {
  announced: '{}',
  items: new Map(),
  hasParts: false,
  isRefused: false,
  lastText: undefined,
  annotations: new Map(),
  citations: [],
  notes: new Map(),
  ended: undefined,
};

/** A state on its way to the next, with the parts that it passes on. */
export interface Reading {
  readonly state: ReadState;
  readonly parts: readonly PartDelta[];
}

/** The item at that index, as it is known so far. */
export function itemAt({ state }: Reading, outputIndex: number): OutputItem {
  return state.items.get(outputIndex) ?? unknownItem;
}

/** Changes what is known of an item. */
export function withItem(
  reading: Reading,
  outputIndex: number,
  change: Partial<OutputItem>,
): Reading {
  const item = { ...itemAt(reading, outputIndex), ...change };
  const items = new Map(reading.state.items).set(outputIndex, item);
  return { ...reading, state: { ...reading.state, items } };
}

/** Notes something about an item that its parts do not say. */
export function withNote(reading: Reading, outputIndex: number, note: JsonObject): Reading {
  if (Object.keys(note).length === 0) return reading;
  const notes = new Map(reading.state.notes).set(outputIndex, {
    ...reading.state.notes.get(outputIndex),
    ...note,
  });
  return { ...reading, state: { ...reading.state, notes } };
}

/** Passes a part on. */
export function withPart(reading: Reading, part: PartDelta, lastText?: string): Reading {
  const isRefused = reading.state.isRefused || part.kind === 'refusal';
  return {
    state: { ...reading.state, hasParts: true, isRefused, lastText },
    parts: [...reading.parts, part],
  };
}

/** The next piece of a text. */
export function addText(reading: Reading, segment: Segment, piece: string): Reading {
  return pass(reading, segment, (received) => addPiece(received, piece, segment.kind));
}

/** A text as it ended; what the pieces lacked is passed on. */
export function endText(reading: Reading, segment: Segment, whole: string): Reading {
  return pass(reading, segment, (received) => completeText(received, whole, segment.kind));
}

type Advance = (received: TextStep['received']) => TextStep;

function pass(before: Reading, segment: Segment, advance: Advance): Reading {
  const item = itemAt(before, segment.outputIndex);
  const key = textKey(segment);
  const { received, more } = advance(item.texts.get(key) ?? nothingReceived);
  const texts = new Map(item.texts).set(key, received);
  const reading = withItem(before, segment.outputIndex, { texts });
  if (more === '') return reading;
  const { kind } = segment;
  if (kind === 'arguments') {
    // While nobody knows which call they belong to, the pieces wait.
    return item.call === undefined ? reading : withCallPiece(reading, item.call, more);
  }
  const metadata = partMetadata(item, segment);
  switch (kind) {
    case 'text':
      return passCitations(
        withPart(reading, { kind, text: more, metadata }, segmentKey(segment)),
        segmentKey(segment),
      );
    case 'refusal':
      return withPart(reading, { kind, text: more, metadata });
    default:
      return withPart(reading, { kind: 'reasoning', text: more, metadata });
  }
}

/** More of a call that was passed on before; it does not end the text before it. */
function withCallPiece(
  reading: Reading,
  { id, name }: NonNullable<OutputItem['call']>,
  more: string,
): Reading {
  const part: PartDelta = { kind: 'tool_call', toolCall: { id, name, arguments: more } };
  return withPart(reading, part, reading.state.lastText);
}

/**
 * Makes a call known, with all of its arguments so far. An id that another call of the answer has already
 * gets a suffix: no two calls are ever merged.
 */
export function identifyCall(
  reading: Reading,
  outputIndex: number,
  wireId: string,
  name: string,
): Reading {
  const segment: Segment = { outputIndex, kind: 'arguments', index: 0 };
  const taken = new Set([...reading.state.items.values()].map((item) => item.call?.id));
  const id = freeId(wellFormed(wireId, 'call id'), taken);
  const call = { id, name: wellFormed(name, 'tool name'), wireId };
  const known = withItem(reading, outputIndex, { call });
  const item = itemAt(known, outputIndex);
  return withPart(known, {
    kind: 'tool_call',
    toolCall: { id, name, arguments: item.texts.get(textKey(segment))?.text ?? '' },
    metadata: {
      ...partMetadata(item, segment),
      ...(id === wireId ? {} : { 'openai/call_id': wireId }),
    },
  });
}

/** Takes the annotations of a text that were not taken before. `all` begins with those that were. */
export function addAnnotations(
  before: Reading,
  segment: Segment,
  all: readonly unknown[],
): Reading {
  const key = segmentKey(segment);
  const known = before.state.annotations.get(key) ?? [];
  if (all.length <= known.length) return before;
  const found = all.slice(known.length).flatMap((annotation) => {
    const citation = readAnnotation(annotation);
    return citation === undefined ? [] : [{ segment: key, citation }];
  });
  const annotations = new Map(before.state.annotations).set(key, all);
  const citations = [...before.state.citations, ...found];
  return passCitations({ ...before, state: { ...before.state, annotations, citations } }, key);
}

/** A citation can only join the last part. */
function passCitations(reading: Reading, key: string): Reading {
  if (reading.state.lastText !== key) return reading;
  const [ready, waiting] = [
    reading.state.citations.filter(({ segment }) => segment === key),
    reading.state.citations.filter(({ segment }) => segment !== key),
  ];
  if (ready.length === 0) return reading;
  return {
    state: { ...reading.state, citations: waiting },
    parts: [
      ...reading.parts,
      ...ready.map(({ citation }): PartDelta => ({ kind: 'citation', citation })),
    ],
  };
}
