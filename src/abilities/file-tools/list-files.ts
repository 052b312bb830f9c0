/** The tool `list_files`. */
import { z } from 'zod';
import type { Tool } from '../../tools/define-tool.ts';
import { defineTool } from '../../tools/define-tool.ts';
import { createGlob } from './glob.ts';
import { maxPageBytes, Page, someOf } from './page.ts';
import { walk } from './walk.ts';
import type { Workspace } from './workspace.ts';
import { relativeTo, shownPath, toWorkspacePath } from './workspace-path.ts';

const defaultLimit = 500;
const maxLimit = 2_000;

/** Lists the files below a folder of the workspace, sorted, a page at most. */
export function createListFiles(workspace: Workspace): Tool {
  return defineTool({
    name: 'list_files',
    description:
      'Lists the files below a folder of the workspace, one path per line, sorted. ' +
      'Files that .gitignore leaves out and node_modules are not listed unless asked for; .git never is.',
    input: z.strictObject({
      path: z
        .string()
        .default('.')
        .describe('Folder to list, relative to the root of the workspace.'),
      pattern: z
        .string()
        .optional()
        .describe(
          'Glob relative to path, such as src/**/*.ts; without a slash it is matched against file names at any depth.',
        ),
      includeIgnored: z.boolean().default(false).describe('List ignored files as well.'),
      limit: z.int().min(1).max(maxLimit).default(defaultLimit).describe('Paths to list at most.'),
    }),
    effect: 'none',
    maxResultBytes: maxPageBytes,
    async execute({ path, pattern, includeIgnored, limit }, { signal }) {
      const folder = toWorkspacePath(path);
      const matches = pattern === undefined ? () => true : createGlob(pattern);
      const page = new Page(limit);
      const gaps: string[] = [];
      let more = 0;
      for await (const found of walk(workspace, { folder, includeIgnored, signal })) {
        if (found.kind === 'gap') gaps.push(found.text);
        else if (matches(relativeTo(folder, found.path))) {
          const line = shownPath(found.path) + (found.kind === 'link' ? ' (link)' : '');
          if (more > 0 || !page.add(line)) more += 1;
        }
      }
      const count = more === 0 ? [] : [`${more} more: name a deeper path or a narrower pattern`];
      const none = pattern === undefined ? 'no files' : 'no file matches the pattern';
      return page.text(`${none} in ${shownPath(folder)}`, [...count, ...someOf(gaps)]);
    },
  });
}
