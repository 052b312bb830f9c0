/** The tool `search`. */
import { z } from 'zod';
import type { Tool } from '../../tools/define-tool.ts';
import { defineTool } from '../../tools/define-tool.ts';
import { createGlob } from './glob.ts';
import type { LineTest } from './line-test.ts';
import { createLineTest, searchedCharacters } from './line-test.ts';
import { Pace } from './pace.ts';
import { maxPageBytes, Page, someOf } from './page.ts';
import { readSearchable } from './read-searchable.ts';
import type { Walked } from './walk.ts';
import { walk } from './walk.ts';
import type { Workspace } from './workspace.ts';
import { WorkspaceError } from './workspace.ts';
import { relativeTo, shownPath, splitPath, toWorkspacePath } from './workspace-path.ts';

const defaultMatches = 100;
const mostMatches = 1_000;
/** A search ends with what it has before the tool's minute is over: a call that times out shows nothing. */
const maxSearchMs = 40_000;

const searchInput = z.strictObject({
  pattern: z.string().min(1).describe('Regular expression, matched against each line.'),
  path: z
    .string()
    .default('.')
    .describe('Folder or file to search, relative to the root of the workspace.'),
  glob: z
    .string()
    .optional()
    .describe('Only files that match, such as *.ts or src/**/*.md; relative to path.'),
  ignoreCase: z.boolean().default(false),
  includeIgnored: z.boolean().default(false).describe('Search ignored files as well.'),
  maxMatches: z
    .int()
    .min(1)
    .max(mostMatches)
    .default(defaultMatches)
    .describe('Matching lines to show at most.'),
});

/** Finds lines that match a pattern, in time linear in the text. `now` is a clock in milliseconds. */
export function createSearch(workspace: Workspace, now = () => performance.now()): Tool {
  return defineTool({
    name: 'search',
    description:
      'Finds the lines of text files in the workspace that match a regular expression (RE2 syntax: ' +
      'no lookaround, no backreferences). Shows file:line: text. Skips what list_files does not list.',
    input: searchInput,
    effect: 'none',
    maxResultBytes: maxPageBytes,
    async execute(input, { signal }) {
      const page = new Page(input.maxMatches);
      const skipped = new Map<string, number>();
      const notes: string[] = [];
      const pace = new Pace(now, maxSearchMs, signal);
      for await (const found of search(workspace, input, pace, signal)) {
        if (found.kind === 'gap') notes.push(found.text);
        else if (found.kind === 'skipped') {
          skipped.set(found.reason, (skipped.get(found.reason) ?? 0) + 1);
        } else if (!page.add(found.line)) {
          notes.push('there are more matches: narrow the pattern, path or glob');
          break;
        }
      }
      const counts = [...skipped].map(([reason, count]) => `skipped ${count} ${reason}`);
      return page.text('no matches', [...counts, ...someOf(notes)]);
    },
  });
}

type Found =
  | { readonly kind: 'match'; readonly line: string }
  | { readonly kind: 'skipped'; readonly reason: string }
  | { readonly kind: 'gap'; readonly text: string };

async function* search(
  workspace: Workspace,
  input: z.output<typeof searchInput>,
  pace: Pace,
  signal: AbortSignal,
): AsyncGenerator<Found> {
  const show = createLineTest(input.pattern, input.ignoreCase);
  const isWanted = input.glob === undefined ? () => true : createGlob(input.glob);
  const start = toWorkspacePath(input.path);
  for await (const found of filesFrom(workspace, start, input.includeIgnored, signal)) {
    if (found.kind === 'gap') yield found;
    if (found.kind !== 'file' || !isWanted(nameFor(start, found.path))) continue;
    yield* matchesIn(workspace, found.path, show, pace);
    if (pace.isOver) {
      yield {
        kind: 'gap',
        text: `stopped after ${maxSearchMs / 1_000} seconds: narrow the path or glob`,
      };
      return;
    }
  }
}

/** The start may be a file: then it is the only one, searched even if it is ignored. */
async function* filesFrom(
  workspace: Workspace,
  start: string,
  includeIgnored: boolean,
  signal: AbortSignal,
): AsyncGenerator<Walked> {
  try {
    yield* walk(workspace, { folder: start, includeIgnored, signal });
  } catch (error) {
    if (!(error instanceof WorkspaceError && error.problem === 'not_a_folder')) throw error;
    await workspace.read(start, { start: 0, length: 0 }); // Refuses what is no file either.
    yield { kind: 'file', path: start };
  }
}

/** What the glob sees: for a start that is a file, its own name. */
function nameFor(start: string, path: string): string {
  return start === path ? splitPath(path).name : relativeTo(start, path);
}

async function* matchesIn(
  workspace: Workspace,
  path: string,
  show: LineTest,
  pace: Pace,
): AsyncGenerator<Found> {
  const file = await readSearchable(workspace, path);
  if (file.kind === 'skipped') {
    yield file;
    return;
  }
  for (const [index, line] of file.lines.entries()) {
    if (pace.isDue) await pace.rest();
    if (pace.isOver) return;
    const text = show(line);
    if (text !== undefined)
      yield { kind: 'match', line: `${shownPath(path)}:${index + 1}: ${text}` };
    if (line.length > searchedCharacters) {
      yield {
        kind: 'gap',
        text: `${shownPath(path)}:${index + 1} is searched in its first ${searchedCharacters} characters only`,
      };
    }
  }
}
