/** The tool `write_file`. */
import { z } from 'zod';
import type { Tool } from '../../tools/define-tool.ts';
import { defineTool } from '../../tools/define-tool.ts';
import type { Workspace } from './workspace.ts';
import { shownPath, toWritablePath } from './workspace-path.ts';

/** Writes a whole text file of the workspace. */
export function createWriteFile(workspace: Workspace): Tool {
  return defineTool({
    name: 'write_file',
    description:
      'Writes a text file of the workspace in UTF-8: makes it, with the folders it needs, or replaces all of its content.',
    input: z.strictObject({
      path: z.string().describe('File to write, relative to the root of the workspace.'),
      content: z.string().describe('The whole content of the file.'),
    }),
    effect: 'idempotent',
    async execute({ path: text, content }, { signal }) {
      const path = toWritablePath(text);
      if (!content.isWellFormed()) {
        throw new Error('content holds half of a surrogate pair: send well-formed Unicode');
      }
      signal.throwIfAborted();
      const bytes = Buffer.from(content);
      await workspace.write(path, bytes);
      // The same words for a new and a replaced file: a repeated attempt would find its own.
      return `wrote ${shownPath(path)} (${bytes.length} bytes)`;
    },
  });
}
