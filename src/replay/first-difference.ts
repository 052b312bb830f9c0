/** Finds where two JSON values part. */

/** Where two values part, and what each has there. */
export interface Difference {
  /** Path of the member, such as `transcript.tail.3.id`. */
  readonly path: string;
  readonly expected: unknown;
  readonly found: unknown;
}

/** The first place, in member order, at which `found` is not `expected`; undefined when they are equal. */
export function firstDifference(
  expected: unknown,
  found: unknown,
  path: string = '',
): Difference | undefined {
  if (Object.is(expected, found)) return undefined;
  if (!isRecord(expected) || !isRecord(found)) return { path, expected, found };
  for (const key of new Set([...Object.keys(expected), ...Object.keys(found)])) {
    const inner = path === '' ? key : `${path}.${key}`;
    const difference = firstDifference(expected[key], found[key], inner);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
