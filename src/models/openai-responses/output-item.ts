/** The items of an answer while they are being received. */
import type { JsonObject } from '../../chat/json.ts';
import type { ReceivedText } from './received-text.ts';

/** Which of an item's texts: several kinds of them are counted on their own. */
export type SegmentKind = 'text' | 'refusal' | 'summary' | 'reasoning' | 'arguments';

/** One text of one item. */
export interface Segment {
  readonly outputIndex: number;
  readonly kind: SegmentKind;
  readonly index: number;
}

/** One item so far. */
export interface OutputItem {
  /** The first id that was seen for it; some gateways send another with each event. */
  readonly id: string | undefined;
  readonly phase: string | undefined;
  /** A function call's identity, once it is known; `id` is the one to show. */
  readonly call:
    | { readonly id: string; readonly name: string; readonly wireId: string }
    | undefined;
  readonly texts: ReadonlyMap<string, ReceivedText>;
  readonly isDone: boolean;
}

/** An item of which nothing is known. */
export const unknownItem: OutputItem = {
  id: undefined,
  phase: undefined,
  call: undefined,
  texts: new Map(),
  isDone: false,
};

/** The text's name within its item. */
export function textKey({ kind, index }: Segment): string {
  return `${kind}/${index}`;
}

/** The text's name within the answer. */
export function segmentKey(segment: Segment): string {
  return `${segment.outputIndex}/${textKey(segment)}`;
}

/**
 * What a resend must know of the item, in the metadata of each of its parts. Equal for all deltas of one
 * text, and different for any two texts: so neighbours never merge.
 */
export function partMetadata(item: OutputItem, segment: Segment): JsonObject {
  const { outputIndex, kind, index } = segment;
  return {
    ...(item.id === undefined ? {} : { 'openai/item_id': item.id }),
    'openai/output_index': outputIndex,
    ...(kind === 'summary' ? { 'openai/summary_index': index } : {}),
    ...(kind === 'reasoning' || ((kind === 'text' || kind === 'refusal') && index > 0)
      ? { 'openai/content_index': index }
      : {}),
    ...(item.phase === undefined ? {} : { 'openai/phase': item.phase }),
  };
}
