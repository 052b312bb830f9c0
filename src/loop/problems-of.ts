/** Names what is wrong with a value, for the one who wrote it. */

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Problems named at most: one bad list can hold thousands. */
const maxProblems = 10;

/** The problems on one line, each with its path: `send.message: …; send.mode: …`. Without a root, paths begin inside the value. */
export function problemsOf(error: { readonly issues: readonly Issue[] }, root?: string): string {
  const { issues } = error;
  const named = issues.slice(0, maxProblems).map(({ path, message }) => {
    const place = [...(root === undefined ? [] : [root]), ...path].map(String).join('.');
    return `${place === '' ? 'input' : place}: ${message}`;
  });
  const more = issues.length - named.length;
  return more > 0 ? `${named.join('; ')}; and ${more} more` : named.join('; ');
}
