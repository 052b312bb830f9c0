/** Puts new content in a file's place in one step. */
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, lstat, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from './file-system-error.ts';

const unfinished = /^\.everloop-[0-9a-f-]{36}\.tmp$/;

/** Whether a name is that of a write under way, or of one that a crash cut short. */
export function isUnfinished(name: string): boolean {
  return unfinished.test(name);
}

/**
 * Makes or replaces `name` in `folder`: a temporary file beside it, brought to the disk, then renamed.
 * The permissions of an existing file stay. Answers false, having done nothing, when `name` is no regular file.
 */
export async function replaceFile(
  folder: string,
  name: string,
  bytes: Uint8Array,
): Promise<boolean> {
  const target = join(folder, name);
  const before = await statsOf(target);
  if (before !== undefined) {
    if (!before.isFile()) return false;
    await access(target, constants.W_OK); // A rename would replace a write-protected file as well.
  }
  const temporary = join(folder, `.everloop-${randomUUID()}.tmp`);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const handle = await open(temporary, flags, 0o666); // What the process's umask takes away is its choice.
  try {
    try {
      if (before !== undefined) await handle.chmod(before.mode & 0o777);
      await handle.writeFile(bytes);
      await handle.sync(); // Else a power cut could leave an empty file under a name already renamed.
    } finally {
      await handle.close();
    }
    await rename(temporary, target);
    return true;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function statsOf(path: string) {
  try {
    return await lstat(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
