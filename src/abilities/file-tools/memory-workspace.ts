/** The workspace in memory: for tests, and for agents whose files need not outlive the process. */
import { notAFile, notAFolder, notFound } from './refusals.ts';
import type { Workspace, WorkspaceEntry } from './workspace.ts';
import { joinPath, splitPath, toWorkspacePath, toWritablePath } from './workspace-path.ts';

/** A workspace that holds `files`, by path. A folder exists as long as there is a file in it; the root always. */
export function createMemoryWorkspace(files: Readonly<Record<string, string>> = {}): Workspace {
  const contents = new Map<string, Uint8Array>();
  for (const [path, text] of Object.entries(files))
    put(contents, toWorkspacePath(path), Buffer.from(text));
  return {
    async list(text) {
      return entriesOf(contents, toWorkspacePath(text));
    },
    async read(text, range) {
      const path = toWorkspacePath(text);
      const bytes = contents.get(path);
      if (bytes === undefined) throw missing(contents, path);
      const { start, length } = range ?? { start: 0, length: bytes.length };
      return { bytes: bytes.slice(start, start + length), size: bytes.length };
    },
    async write(text, bytes) {
      put(contents, toWritablePath(text), bytes);
    },
  };
}

type Contents = Map<string, Uint8Array>;

function put(contents: Contents, path: string, bytes: Uint8Array): void {
  if (isFolder(contents, path)) throw notAFile(path);
  refuseFileOnTheWay(contents, path);
  contents.set(path, Uint8Array.from(bytes)); // A Buffer's slice would share its memory.
}

function entriesOf(contents: Contents, folder: string): WorkspaceEntry[] {
  if (!isFolder(contents, folder)) {
    throw contents.has(folder) ? notAFolder(folder) : missing(contents, folder);
  }
  const kinds = new Map<string, WorkspaceEntry['kind']>();
  for (const path of contents.keys()) {
    if (folder !== '' && !path.startsWith(`${folder}/`)) continue;
    const [name = '', ...rest] = path.slice(joinPath(folder, '').length).split('/');
    kinds.set(name, rest.length > 0 ? 'folder' : 'file');
  }
  return [...kinds]
    .map(([name, kind]) => ({ name, kind }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function isFolder(contents: Contents, path: string): boolean {
  return path === '' || [...contents.keys()].some((file) => file.startsWith(`${path}/`));
}

function refuseFileOnTheWay(contents: Contents, path: string): void {
  for (let { folder } = splitPath(path); folder !== ''; folder = splitPath(folder).folder) {
    if (contents.has(folder)) throw notAFolder(folder);
  }
}

function missing(contents: Contents, path: string): Error {
  if (isFolder(contents, path)) return notAFile(path);
  refuseFileOnTheWay(contents, path);
  return notFound(path);
}
