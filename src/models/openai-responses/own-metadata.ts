/** Reads what this adapter wrote into the metadata of messages and parts. */
import type { JsonObject, JsonValue } from '../../chat/json.ts';
import type { Metadata } from '../../chat/metadata.ts';

/** Where a part stood in the provider's answer. */
export interface Origin {
  readonly outputIndex: number;
  readonly itemId: string | undefined;
  readonly contentIndex: number | undefined;
  readonly summaryIndex: number | undefined;
  readonly phase: Phase | undefined;
}

/** What a message of the model is to its reader. */
export type Phase = 'commentary' | 'final_answer';

/** Undefined for a part that is of another provider, or of a person. */
export function originOf(metadata: Metadata | undefined): Origin | undefined {
  const outputIndex = indexIn(metadata, 'openai/output_index');
  if (outputIndex === undefined) return undefined;
  const itemId = metadata?.['openai/item_id'];
  return {
    outputIndex,
    itemId: typeof itemId === 'string' ? itemId : undefined,
    contentIndex: indexIn(metadata, 'openai/content_index'),
    summaryIndex: indexIn(metadata, 'openai/summary_index'),
    phase: phaseOf(metadata?.['openai/phase']),
  };
}

/** What an item's parts do not say. */
export interface ItemNote {
  readonly outputIndex: number;
  readonly status: JsonValue | undefined;
  readonly phase: Phase | undefined;
  /** By content index. */
  readonly annotations: JsonObject;
  /** An item that no part stands for. */
  readonly item: JsonObject | undefined;
}

/** The notes of a message, in the order of its items. */
export function notesOf(metadata: Metadata | undefined): readonly ItemNote[] {
  return Object.entries(objectIn(metadata, 'openai/items') ?? {})
    .flatMap(([index, note]) =>
      isObject(note)
        ? [
            {
              outputIndex: Number(index),
              status: note['status'],
              phase: phaseOf(note['phase']),
              annotations: objectIn(note, 'annotations') ?? {},
              item: objectIn(note, 'item'),
            },
          ]
        : [],
    )
    .sort((first, second) => first.outputIndex - second.outputIndex);
}

/** The object under that key; undefined for anything else. */
export function objectIn(metadata: Metadata | undefined, key: string): JsonObject | undefined {
  const value = metadata?.[key];
  return isObject(value) ? value : undefined;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function indexIn(metadata: Metadata | undefined, key: string): number | undefined {
  const value = metadata?.[key];
  return typeof value === 'number' ? value : undefined;
}

function phaseOf(value: JsonValue | undefined): Phase | undefined {
  return value === 'commentary' || value === 'final_answer' ? value : undefined;
}
