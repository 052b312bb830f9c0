/** The file tools: an agent's hands in one folder that it cannot leave. */
import type { Tool } from '../../tools/define-tool.ts';
import { createListFiles } from './list-files.ts';
import { createLocalWorkspace } from './local-workspace.ts';
import { createReadFile } from './read-file.ts';
import { createSearch } from './search.ts';
import type { Workspace } from './workspace.ts';
import { createWriteFile } from './write-file.ts';

/**
 * The tools `list_files`, `read_file`, `search` and `write_file` over a folder of the Worker's machine, or over
 * any workspace. The first three have no effect; `write_file` is idempotent.
 */
export function fileTools(root: string | Workspace): readonly Tool[] {
  const workspace = typeof root === 'string' ? createLocalWorkspace(root) : root;
  return [
    createListFiles(workspace),
    createReadFile(workspace),
    createSearch(workspace),
    createWriteFile(workspace),
  ];
}
