/** The workspace in a folder of this machine. */
import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { errorCode, onFile } from './file-system-error.ts';
import type { HeldFolder } from './held-folder.ts';
import { holdFolder, isInside } from './held-folder.ts';
import { leavesRoot, notAFile, refusal } from './refusals.ts';
import { isUnfinished, replaceFile } from './replace-file.ts';
import { createSerial } from './serial.ts';
import type { ByteRange, FileSlice, Workspace, WorkspaceEntry } from './workspace.ts';
import { isPathSegment, refuseGit, toWorkspacePath, toWritablePath } from './workspace-path.ts';

/** A workspace over `root`, which must exist when it is used. Links are followed as long as they stay below it. */
export function createLocalWorkspace(root: string): Workspace {
  const folder = resolve(root);
  const serial = createSerial();
  return {
    async list(text) {
      const path = toWorkspacePath(text);
      const realRoot = await rootOf(folder);
      return onFile(path, async () => entriesOf(realRoot, path, await existing(realRoot, path)));
    },
    async read(text, range) {
      const path = toWorkspacePath(text);
      const realRoot = await rootOf(folder);
      return onFile(path, async () => slice(realRoot, path, await existing(realRoot, path), range));
    },
    async write(text, bytes) {
      const path = toWritablePath(text);
      // Before anything is awaited, so that writes keep the order of their calls.
      await serial(path, async () => {
        const realRoot = await rootOf(folder);
        await onFile(path, async () => {
          const target = await targetOf(realRoot, path);
          // A link may have led into a .git folder.
          refuseGit(relative(realRoot, target.file).split(sep).join('/'));
          await write(realRoot, path, target, bytes);
        });
      });
    },
  };
}

/** The root may be a link itself, and be replaced during a run; it is looked up each time. */
async function rootOf(folder: string): Promise<string> {
  try {
    return await realpath(folder);
  } catch (error) {
    const code = errorCode(error) ?? 'unknown error';
    throw refusal('failed', '', `the root of the workspace cannot be opened (${code})`, error);
  }
}

/** The real path of something that exists, checked to be inside. */
async function existing(root: string, path: string): Promise<string> {
  const real = await realpath(join(root, path));
  if (!isInside(root, real)) throw leavesRoot(path);
  return real;
}

async function entriesOf(root: string, path: string, folder: string): Promise<WorkspaceEntry[]> {
  return within(await holdFolder(root, folder, path), async ({ address }) => {
    const entries: WorkspaceEntry[] = [];
    for (const entry of await readdir(address, { withFileTypes: true })) {
      const { name } = entry;
      if (!isPathSegment(name) || isUnfinished(name)) continue;
      if (entry.isFile()) entries.push({ name, kind: 'file' });
      else if (entry.isDirectory()) entries.push({ name, kind: 'folder' });
      else if (entry.isSymbolicLink()) entries.push({ name, kind: 'link' });
    }
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  });
}

async function slice(
  root: string,
  path: string,
  file: string,
  range?: ByteRange,
): Promise<FileSlice> {
  if (file === root) throw notAFile(path);
  return within(await holdFolder(root, dirname(file), path), async ({ address }) => {
    // NONBLOCK: opening a pipe that nobody writes to would wait for ever.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const handle = await open(join(address, basename(file)), flags);
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) throw notAFile(path);
      const { start, length } = range ?? { start: 0, length: stats.size };
      const bytes = Buffer.alloc(Math.max(0, Math.min(length, stats.size - start)));
      let filled = 0;
      while (filled < bytes.length) {
        const { bytesRead } = await handle.read(
          bytes,
          filled,
          bytes.length - filled,
          start + filled,
        );
        if (bytesRead === 0) break; // The file was shortened meanwhile.
        filled += bytesRead;
      }
      return { bytes: bytes.subarray(0, filled), size: stats.size };
    } finally {
      await handle.close();
    }
  });
}

/** Where a file will be: an existing real folder, the folders still to make, and the file itself. */
interface Target {
  readonly folder: string;
  readonly missing: readonly string[];
  readonly file: string;
}

async function targetOf(root: string, path: string): Promise<Target> {
  const file = join(root, path);
  if (await isThere(file)) {
    const real = await existingTarget(root, path);
    if (real === root) throw notAFile(path);
    return { folder: dirname(real), missing: [], file: real };
  }
  const missing: string[] = [];
  let folder = dirname(path);
  // The root was there a moment ago; if it is gone, looking it up below says so.
  while (folder !== '.' && !(await isThere(join(root, folder)))) {
    missing.unshift(basename(folder));
    folder = dirname(folder);
  }
  const real = await existing(root, folder);
  return { folder: real, missing, file: join(real, ...missing, basename(path)) };
}

/** Writing through a link to nowhere would make the file it points at, wherever that is. */
async function existingTarget(root: string, path: string): Promise<string> {
  try {
    return await existing(root, path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    throw refusal('not_allowed', path, 'a link to nothing; write to another path', error);
  }
}

/** Whether the name exists, be it a link to nowhere. */
async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

async function write(root: string, path: string, target: Target, bytes: Uint8Array): Promise<void> {
  let folder = await holdFolder(root, target.folder, path);
  for (const name of target.missing) {
    folder = await within(folder, ({ address }) => makeFolder(root, join(address, name), path));
  }
  await within(folder, async ({ address }) => {
    if (!(await replaceFile(address, basename(target.file), bytes))) throw notAFile(path);
  });
}

async function makeFolder(root: string, folder: string, path: string): Promise<HeldFolder> {
  try {
    await mkdir(folder);
  } catch (error) {
    // Another write made it first; if it is a link, opening it below is refused.
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  return holdFolder(root, folder, path);
}

async function within<T>(folder: HeldFolder, use: (folder: HeldFolder) => Promise<T>): Promise<T> {
  try {
    return await use(folder);
  } finally {
    await folder.close();
  }
}
