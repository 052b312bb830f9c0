/** From the path that a model wrote to a path of the workspace. */
import { WorkspaceError } from './workspace.ts';

const driveLetter = /^[A-Za-z]:/;

/**
 * The path in its one spelling: segments joined by `/`, no `.`; the root is `''`.
 * @throws WorkspaceError `outside` for an absolute path, `..`, a backslash or a NUL byte
 */
export function toWorkspacePath(text: string): string {
  const problem = problemWith(text);
  if (problem !== undefined)
    throw new WorkspaceError('outside', `${JSON.stringify(text)}: ${problem}`);
  return segmentsOf(text).join('/');
}

/**
 * The path of a file that may be written.
 * @throws WorkspaceError as {@link toWorkspacePath}; `not_a_file` for a folder's path; `not_allowed` inside `.git`
 */
export function toWritablePath(text: string): string {
  const path = toWorkspacePath(text);
  if (path === '' || text.endsWith('/')) {
    throw new WorkspaceError(
      'not_a_file',
      `${JSON.stringify(text)} names a folder: end with a file name`,
    );
  }
  refuseGit(path);
  return path;
}

/**
 * Git's own files decide which programs git runs (hooks, config), so a written one would run outside the root.
 * @throws WorkspaceError `not_allowed`
 */
export function refuseGit(path: string): void {
  // Some file systems do not tell case apart.
  if (path.split('/').some((segment) => segment.toLowerCase() === '.git')) {
    throw new WorkspaceError('not_allowed', `${path}: nothing may be written into .git`);
  }
}

/** `name` in `folder`, where the root is `''`. */
export function joinPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** The folder of a path and its last name. */
export function splitPath(path: string): { readonly folder: string; readonly name: string } {
  const slash = path.lastIndexOf('/');
  return { folder: path.slice(0, Math.max(slash, 0)), name: path.slice(slash + 1) };
}

/** A path below `folder` as seen from there. */
export function relativeTo(folder: string, path: string): string {
  return folder === '' ? path : path.slice(folder.length + 1);
}

/** Whether a name found in a folder can be part of a path. */
export function isPathSegment(name: string): boolean {
  return problemWith(name) === undefined && segmentsOf(name)[0] === name;
}

/** A path on one line of output: control characters in a name would forge lines. */
export function shownPath(path: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this looks for.
  return path === '' ? '.' : path.replace(/[\u0000-\u001f\u007f\u2028\u2029]/g, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function segmentsOf(text: string): string[] {
  return text.split('/').filter((segment) => segment !== '' && segment !== '.');
}

function problemWith(text: string): string | undefined {
  if (text.includes('\0')) return 'a path must not contain a NUL byte';
  if (!text.isWellFormed()) return 'a path must be well-formed Unicode';
  if (text.includes('\\')) return 'use / between folders, not a backslash';
  if (text.startsWith('/') || driveLetter.test(text)) {
    return 'use a path relative to the root of the workspace, such as src/main.ts';
  }
  if (text.split('/').includes('..')) {
    return 'a path must not contain "..": name the file from the root of the workspace';
  }
  return undefined;
}
