/** The order of tools: a function of the set, so that prompts and hashes are the same in every process. */

/** Compares by code unit of the name. */
export function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  if (a.name === b.name) return 0;
  return a.name < b.name ? -1 : 1;
}
