/** Walks a workspace in the order of its paths, without what nobody wants to see. */

import type { IgnoreRules } from './ignore-rules.ts';
import { createIgnoreRules } from './ignore-rules.ts';
import type { Workspace, WorkspaceEntry } from './workspace.ts';
import { WorkspaceError } from './workspace.ts';
import { joinPath, shownPath } from './workspace-path.ts';

/** What a walk finds: a file, a link (never followed), or a place where it could not go on. */
export type Walked =
  | { readonly kind: 'file' | 'link'; readonly path: string }
  | { readonly kind: 'gap'; readonly text: string };

interface WalkOptions {
  /** Where to start; it is walked even if it is ignored itself. */
  readonly folder: string;
  /** Also walks node_modules and what .gitignore leaves out. `.git` is never walked. */
  readonly includeIgnored: boolean;
  readonly signal: AbortSignal;
}

/** Beyond this many names a listing tells a model nothing, and the walk takes seconds. */
const maxEntries = 100_000;
/** Deeper trees are accidents; the cost of ignore rules grows steeply with depth. */
const maxDepth = 64;
/** Rules beyond this size are not read: the largest in use are far smaller. */
const maxRuleBytes = 64 * 1024;

/** Yields what is below a folder, sorted by code unit of the path. Rejects when the start is no folder. */
export async function* walk(workspace: Workspace, options: WalkOptions): AsyncGenerator<Walked> {
  const first = await workspace.list(options.folder);
  const rules = options.includeIgnored ? undefined : await rulesAbove(workspace, options.folder);
  let seen = 0;
  yield* below(options.folder, 0, first, rules);

  async function* below(
    folder: string,
    depth: number,
    entries: readonly WorkspaceEntry[],
    above: IgnoreRules | undefined,
  ): AsyncGenerator<Walked> {
    const inForce = above && (await withRulesIn(workspace, folder, entries, above));
    for (const { name, kind } of entries.toSorted(byPath)) {
      options.signal.throwIfAborted();
      const path = joinPath(folder, name);
      if (name === '.git' || inForce?.ignores(path, kind === 'folder' ? 'folder' : 'file'))
        continue;
      seen += 1;
      if (seen === maxEntries) yield { kind: 'gap', text: `stopped after ${maxEntries} names` };
      if (seen >= maxEntries) return;
      if (kind !== 'folder') yield { kind, path };
      else if (depth === maxDepth)
        yield { kind: 'gap', text: `did not look deeper than ${shownPath(path)}` };
      else yield* inside(path, depth + 1, inForce);
    }
  }

  async function* inside(
    folder: string,
    depth: number,
    rules: IgnoreRules | undefined,
  ): AsyncGenerator<Walked> {
    const entries = await readable(() => workspace.list(folder));
    if (entries === undefined) yield { kind: 'gap', text: `could not open ${shownPath(folder)}` };
    else yield* below(folder, depth, entries, rules);
  }
}

/** The rules of the folders above the start; none of theirs when they ignore the start itself. */
async function rulesAbove(workspace: Workspace, start: string): Promise<IgnoreRules> {
  const names = start === '' ? [] : start.split('/');
  let rules = createIgnoreRules();
  let folder = '';
  for (const name of names) {
    const entries = await readable(() => workspace.list(folder));
    rules = await withRulesIn(workspace, folder, entries ?? [], rules);
    folder = joinPath(folder, name);
    if (rules.ignores(folder, 'folder')) return createIgnoreRules(start);
  }
  return rules;
}

async function withRulesIn(
  workspace: Workspace,
  folder: string,
  entries: readonly WorkspaceEntry[],
  rules: IgnoreRules,
): Promise<IgnoreRules> {
  if (!entries.some(({ name, kind }) => name === '.gitignore' && kind === 'file')) return rules;
  const range = { start: 0, length: maxRuleBytes };
  const file = await readable(() => workspace.read(joinPath(folder, '.gitignore'), range));
  return file === undefined ? rules : rules.with(folder, Buffer.from(file.bytes).toString());
}

/** Undefined for what cannot be read, or is gone since it was listed. */
async function readable<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof WorkspaceError) return undefined;
    throw error;
  }
}

/** A folder's files come after the files whose names begin like it and go on with a lower character than `/`. */
function byPath(a: WorkspaceEntry, b: WorkspaceEntry): number {
  return sortKey(a) < sortKey(b) ? -1 : 1;
}

function sortKey({ name, kind }: WorkspaceEntry): string {
  return kind === 'folder' ? `${name}/` : name;
}
