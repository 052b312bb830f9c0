/** From errors of the file system to refusals that a model can act on. */
import { RetryableError } from '../../tools/define-tool.ts';
import { notAFile, notAFolder, notFound, refusal } from './refusals.ts';
import type { WorkspaceError, WorkspaceProblem } from './workspace.ts';

const others: Readonly<Record<string, readonly [WorkspaceProblem, string]>> = {
  ELOOP: ['not_allowed', 'a link on the way goes in circles, or was changed meanwhile'],
  EACCES: ['not_allowed', 'permission denied'],
  EPERM: ['not_allowed', 'permission denied'],
  EROFS: ['not_allowed', 'the file system is read-only'],
  ENAMETOOLONG: ['not_allowed', 'the name is too long; use a shorter one'],
  ENOSPC: ['failed', 'no space is left on the disk'],
  EDQUOT: ['failed', 'no space is left on the disk'],
};

/** Out of file handles: other calls will have closed theirs by then. */
const handlesBackMs = 1_000;

/** Runs one operation on `path`; what the file system throws becomes a WorkspaceError without machine paths. */
export async function onFile<T>(path: string, operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    if (code === 'EMFILE' || code === 'ENFILE') {
      throw new RetryableError('too many files are open', {
        retryAfterMs: handlesBackMs,
        cause: error,
      });
    }
    throw toRefusal(path, code, error);
  }
}

function toRefusal(path: string, code: string, cause: unknown): WorkspaceError {
  if (code === 'ENOENT') return notFound(path, cause);
  if (code === 'ENOTDIR') return notAFolder(path, cause);
  if (code === 'EISDIR') return notAFile(path, cause);
  const [problem, text] = others[code] ?? ['failed', `the file system answered ${code}`];
  return refusal(problem, path, text, cause);
}

/** The code of an error of the file system, such as `ENOENT`; undefined for any other error. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'syscall' in error && 'code' in error
    ? String(error.code)
    : undefined;
}
