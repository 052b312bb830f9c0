/** The words of a workspace's refusals: the same from every implementation. */
import type { WorkspaceProblem } from './workspace.ts';
import { WorkspaceError } from './workspace.ts';
import { shownPath } from './workspace-path.ts';

/** `path` with what is the matter there. */
export function refusal(
  problem: WorkspaceProblem,
  path: string,
  text: string,
  cause?: unknown,
): WorkspaceError {
  return new WorkspaceError(
    problem,
    `${shownPath(path)}: ${text}`,
    cause === undefined ? {} : { cause },
  );
}

/** Nothing has that path. */
export function notFound(path: string, cause?: unknown): WorkspaceError {
  const text = 'no such file or folder; list_files shows what is there';
  return refusal('not_found', path, text, cause);
}

/** There is something, but no regular file. */
export function notAFile(path: string, cause?: unknown): WorkspaceError {
  return refusal('not_a_file', path, 'not a file; list_files shows what is in a folder', cause);
}

/** A file stands where a folder is needed. */
export function notAFolder(path: string, cause?: unknown): WorkspaceError {
  const text = 'a file, not a folder, or a part of the path before it is one';
  return refusal('not_a_folder', path, text, cause);
}

/** A link leads out of the root. */
export function leavesRoot(path: string): WorkspaceError {
  return refusal('outside', path, 'a link on the way leaves the root of the workspace');
}
