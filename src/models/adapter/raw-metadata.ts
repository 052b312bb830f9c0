/** Keeps what a provider sent, under a key of its adapter. */
import { copyJson } from '../../chat/copy-json.ts';
import type { JsonObject } from '../../chat/json.ts';

/** Metadata with one key; empty where the value is absent or no exact JSON. */
export function rawMetadata(key: string, value: unknown): JsonObject {
  if (value === undefined) return {};
  const copy = copyJson(value);
  return copy.ok ? { [key]: copy.value } : {};
}
