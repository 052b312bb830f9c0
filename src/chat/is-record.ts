/** Looks at values that nobody has checked yet, where a schema would be too much to load. */

/** Whether the value is an object with named members: no array, and not null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
