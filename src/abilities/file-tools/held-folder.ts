/**
 * Holds a folder open, so that what is done in it cannot be led elsewhere by a link put in its place
 * between the check and the use. Exact where the system has /proc (Linux); elsewhere the moment is only shorter.
 */
import { constants } from 'node:fs';
import { open, readlink, realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import { leavesRoot } from './refusals.ts';

/** An open folder. Contract: closed by whoever opened it. */
export interface HeldFolder {
  /** Stands for this very folder in a path, wherever it is moved to; without /proc it is the path it had. */
  readonly address: string;
  close(): Promise<void>;
}

/**
 * Opens `folder`, needed for the workspace's `path`, and only then looks where it is.
 * @throws WorkspaceError `outside` when that is not below `root`; errors of the file system as they are
 */
export async function holdFolder(root: string, folder: string, path: string): Promise<HeldFolder> {
  const handle = await open(
    folder,
    constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW,
  );
  try {
    const { address, place } = await whereIs(handle.fd, folder);
    if (!isInside(root, place)) throw leavesRoot(path);
    return { address, close: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Whether a real path is the root or below it. */
export function isInside(root: string, place: string): boolean {
  return place === root || place.startsWith(root.endsWith(sep) ? root : root + sep);
}

async function whereIs(fd: number, folder: string): Promise<{ address: string; place: string }> {
  const address = `/proc/self/fd/${fd}`;
  try {
    // Linux: the kernel itself says what was opened, and a path through the handle starts there.
    return { address, place: await readlink(address) };
  } catch {
    return { address: folder, place: await realpath(folder) };
  }
}
