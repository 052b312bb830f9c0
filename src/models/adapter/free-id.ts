/** Keeps ids apart that a provider gave twice. */

/** The wanted id, or with a suffix (`_2`, `_3`, …) the first that is not taken. */
export function freeId(wanted: string, taken: ReadonlySet<string | undefined>): string {
  if (!taken.has(wanted)) return wanted;
  for (let n = 2; ; n += 1) {
    const id = `${wanted}_${n}`;
    if (!taken.has(id)) return id;
  }
}
