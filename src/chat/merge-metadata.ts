/** Equality and merging of metadata. */
import type { JsonObject } from './json.ts';

/** Whether two metadata maps have the same keys and values; absent and empty are the same. */
export function sameMetadata(
  first: JsonObject | undefined,
  second: JsonObject | undefined,
): boolean {
  return spelling(first) === spelling(second);
}

/** Both maps in one: per key the newer value wins, whole. Absent if both are. */
export function mergeMetadata(
  older: JsonObject | undefined,
  newer: JsonObject | undefined,
): JsonObject | undefined {
  if (older === undefined || newer === undefined) return newer ?? older;
  // Spreading defines own members, so a key named __proto__ stays plain data.
  return { ...older, ...newer };
}

function spelling(metadata: JsonObject | undefined): string {
  const entries = Object.entries(metadata ?? {}).filter(([, value]) => value !== undefined);
  return JSON.stringify(entries.sort(([first], [second]) => (first < second ? -1 : 1)));
}
