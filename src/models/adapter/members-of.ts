/** Looks into values of which nothing is known. */

/** The members of an object or array; undefined for anything else. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null ? { ...value } : undefined;
}
