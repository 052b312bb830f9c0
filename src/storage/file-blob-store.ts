/** A blob store in a folder: one file per blob, in folders named for the first two digits of the hash. */
import { randomUUID } from 'node:crypto';
import type { Dirent, Stats } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EverloopError } from '../everloop-error.ts';
import type { BlobEntry, BlobStore } from './blob-store.ts';
import { blobDamaged, blobHash, blobMissing, isBlobHash } from './blob-store.ts';

/** Drafts have a folder of their own: what a killed process leaves there is never taken for a blob. */
const draftsFolder = 'drafts';

/**
 * Keeps blobs in `directory`, which is made with the first put. Processes on one machine, or on one network file
 * system, may share it.
 */
export function createFileBlobStore(directory: string): BlobStore {
  const pathOf = (hash: string) => join(directory, hash.slice(0, 2), hash);

  return {
    async put(bytes) {
      const hash = blobHash(bytes);
      const path = pathOf(hash);
      await failing(`keep blob ${hash}`, directory, async () => {
        if ((await holds(path, hash, bytes.byteLength)) && (await touch(path))) return;
        await write(path, join(directory, draftsFolder), bytes);
      });
      return hash;
    },
    async get(hash, { signal } = {}) {
      signal?.throwIfAborted();
      if (!isBlobHash(hash)) throw blobMissing(hash);
      const path = pathOf(hash);
      const bytes = await failing(`read blob ${hash}`, directory, async () => {
        try {
          return await readFile(path, { ...(signal !== undefined && { signal }) });
        } catch (error) {
          signal?.throwIfAborted();
          if (codeOf(error) === 'ENOENT') throw blobMissing(hash, error);
          throw error;
        }
      });
      if (blobHash(bytes) !== hash) throw blobDamaged(hash, path);
      return bytes;
    },
    async has(hash) {
      if (!isBlobHash(hash)) return false;
      return await failing(
        `look for blob ${hash}`,
        directory,
        async () => (await statOf(pathOf(hash)))?.isFile() ?? false,
      );
    },
    async *list() {
      for (const shard of await entriesOf(directory, directory)) {
        if (shard.isFile() || !/^[0-9a-f]{2}$/.test(shard.name)) continue;
        for (const { name } of await entriesOf(join(directory, shard.name), directory)) {
          const entry = await entryOf(pathOf(name), name, directory);
          if (entry !== undefined) yield entry;
        }
      }
    },
    async delete(hash, { putBefore = Number.POSITIVE_INFINITY } = {}) {
      if (!isBlobHash(hash)) return false;
      return await failing(`remove blob ${hash}`, directory, () =>
        remove(pathOf(hash), join(directory, draftsFolder), putBefore),
      );
    },
    async sweepDrafts(options) {
      let count = 0;
      let bytes = 0;
      for (const { name } of await entriesOf(join(directory, draftsFolder), directory)) {
        const path = join(directory, draftsFolder, name);
        await failing('remove drafts', directory, async () => {
          const found = await statOf(path);
          if (found?.isFile() !== true || found.mtimeMs >= options.before) return;
          count += 1;
          bytes += found.size;
          if (options.remove) await rm(path, { force: true });
        });
      }
      return { count, bytes };
    },
  };
}

/** A file of another length or content is damaged: it is written anew. */
async function holds(path: string, hash: string, size: number): Promise<boolean> {
  if ((await statOf(path))?.size !== size) return false;
  try {
    return blobHash(await readFile(path)) === hash;
  } catch (error) {
    // Somebody has just removed it.
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/** False when the file is gone: somebody has just removed it. */
async function touch(path: string): Promise<boolean> {
  const now = new Date();
  try {
    await utimes(path, now, now);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return false;
    // A blob of another user can be read but not touched; it is there, which is what was asked for.
    if (code !== 'EPERM' && code !== 'EACCES') throw error;
  }
  return true;
}

/** Written beside and moved: readers see the whole blob or none, also after a power cut. */
async function write(path: string, drafts: string, bytes: Uint8Array): Promise<void> {
  await mkdir(drafts, { recursive: true });
  const draft = join(drafts, randomUUID());
  try {
    const file = await open(draft, 'wx');
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    const made = await mkdir(dirname(path), { recursive: true });
    await rename(draft, path);
    if (made !== undefined) await syncFolder(dirname(made));
  } catch (error) {
    // What cannot be removed, either, is harmless.
    await rm(draft, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(path));
}

/**
 * Moved away and looked at there: a `put` that renews it at the same time either did so before, and it is moved
 * back, or does not find it and writes it anew.
 */
async function remove(path: string, drafts: string, putBefore: number): Promise<boolean> {
  const found = await statOf(path);
  if (found?.isFile() !== true || found.mtimeMs >= putBefore) return false;
  await mkdir(drafts, { recursive: true });
  const aside = join(drafts, randomUUID());
  try {
    await rename(path, aside);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
  const moved = await statOf(aside);
  if (moved !== undefined && moved.mtimeMs >= putBefore) {
    await rename(aside, path);
    return false;
  }
  await rm(aside, { force: true });
  return true;
}

/** Makes sure that the names in a folder are on the disk, not only the files that they name. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function entryOf(
  path: string,
  name: string,
  directory: string,
): Promise<BlobEntry | undefined> {
  if (!isBlobHash(name)) return undefined;
  const found = await failing('list blobs', directory, () => statOf(path));
  return found?.isFile() === true
    ? { hash: name, size: found.size, storedAt: found.mtimeMs }
    : undefined;
}

async function entriesOf(path: string, directory: string): Promise<Dirent[]> {
  return await failing('list blobs', directory, async () => {
    try {
      return await readdir(path, { withFileTypes: true });
    } catch (error) {
      // Nothing was put yet.
      if (codeOf(error) === 'ENOENT') return [];
      throw error;
    }
  });
}

async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Does `work`, and says of a file system error what could not be done and how to go on. */
async function failing<T>(what: string, directory: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined || error instanceof EverloopError) throw error;
    const why = reasons[code] ?? defaultReason(code);
    throw new EverloopError(
      'blob_store_failed',
      `cannot ${what} in ${directory}: ${why.what} (${code})`,
      { hint: why.hint, cause: error },
    );
  }
}

interface Reason {
  readonly what: string;
  readonly hint: string;
}

const full: Reason = {
  what: 'the disk is full',
  hint: 'free some space there, or keep blobs in another place; what waits for the blob is tried again',
};
const forbidden: Reason = {
  what: 'this process may not',
  hint: 'give the user of this process the right to read and write the folder and all in it',
};
const noFolder: Reason = {
  what: 'a file is where a folder should be',
  hint: 'move the file away, or keep blobs in another place',
};

/** What the codes of file system errors mean to a person. */
const reasons: Readonly<Record<string, Reason>> = {
  ENOSPC: full,
  EDQUOT: full,
  EACCES: forbidden,
  EPERM: forbidden,
  EROFS: { what: 'the disk is read-only', hint: 'mount it writable, or use another place' },
  ENOTDIR: noFolder,
  EEXIST: noFolder,
};

function defaultReason(code: string): Reason {
  return {
    what: 'the file system answers with an error',
    hint: `check the disk and the rights of the folder: ${code}`,
  };
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  // A file system error names its call; errors of the runtime itself have codes, too.
  return 'syscall' in error && typeof error.code === 'string' ? error.code : undefined;
}
