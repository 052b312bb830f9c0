/** The blob store in a folder: beside what holds for each store, what can go wrong with files. */
import { execFile } from 'node:child_process';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { blobHash } from '../../src/storage/blob-store.ts';
import { createFileBlobStore } from '../../src/storage/file-blob-store.ts';
import type { ConformanceBlobStore } from '../../src/testing/blob-store-conformance.ts';
import { blobStoreConformance } from '../../src/testing/blob-store-conformance.ts';

const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'everloop-blobs-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function pathOf(folder: string, hash: string): string {
  return join(folder, hash.slice(0, 2), hash);
}

async function create(): Promise<ConformanceBlobStore> {
  // The store makes its folder, and the folders above, by itself.
  const folder = join(await temporaryFolder(), 'not', 'yet');
  return {
    store: createFileBlobStore(folder),
    another: async () => createFileBlobStore(folder),
    damage: (hash) => writeFile(pathOf(folder, hash), 'wrong'),
    close: async () => {},
  };
}

describe('the blob store in a folder', () => {
  for (const { title, check } of blobStoreConformance) it(title, () => check({ create }));

  it('gives back any bytes', async () => {
    const store = createFileBlobStore(await temporaryFolder());
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 5_000 }), async (bytes) => {
        const hash = await store.put(bytes);
        expect(hash).toBe(blobHash(bytes));
        expect(Buffer.compare(await store.get(hash), bytes)).toBe(0);
      }),
      { numRuns: 50 },
    );
  });

  it('leaves no drafts behind, and puts each blob where its hash says', async () => {
    const folder = await temporaryFolder();
    const hash = await createFileBlobStore(folder).put(bytesOf('x'));
    expect(await readdir(join(folder, 'drafts'))).toEqual([]);
    expect(await readFile(pathOf(folder, hash), 'utf8')).toBe('x');
  });

  it('does not mind drafts and other files that are no blobs', async () => {
    const folder = await temporaryFolder();
    const store = createFileBlobStore(folder);
    const hash = await store.put(bytesOf('the only blob'));
    await writeFile(join(folder, 'drafts', crypto.randomUUID()), 'half a bl');
    await writeFile(join(folder, 'drafts', hash), 'another half');
    await writeFile(join(folder, '.DS_Store'), '');
    await writeFile(join(folder, hash.slice(0, 2), 'note.txt'), '');
    await mkdir(pathOf(folder, `${hash.slice(0, 2)}${'0'.repeat(62)}`));
    await writeFile(join(folder, hash.startsWith('ff') ? '00' : 'ff'), '');
    expect(await store.get(hash)).toEqual(Buffer.from('the only blob'));
    const entries = await Array.fromAsync(store.list());
    expect(entries).toMatchObject([{ hash, size: 13 }]);
  });

  it.each(['empty', 'cut', 'longer'])('takes a file that is %s for damaged', async (how) => {
    const folder = await temporaryFolder();
    const store = createFileBlobStore(folder);
    const hash = await store.put(bytesOf('once whole'));
    const path = pathOf(folder, hash);
    if (how === 'longer') await writeFile(path, 'once whole, and more');
    else await truncate(path, how === 'cut' ? 4 : 0);
    await expect(store.get(hash)).rejects.toMatchObject({
      code: 'blob_store_failed',
      message: expect.stringMatching(/damaged/),
      hint: expect.stringMatching(/copy/),
    });
    await store.put(bytesOf('once whole'));
    expect(await store.get(hash)).toEqual(Buffer.from('once whole'));
  });

  it('renews the time of what is put again', async () => {
    const folder = await temporaryFolder();
    const store = createFileBlobStore(folder);
    const hash = await store.put(bytesOf('old'));
    await utimes(pathOf(folder, hash), new Date(0), new Date(0));
    const [old] = await Array.fromAsync(store.list());
    expect(old?.storedAt).toBe(0);
    await store.put(bytesOf('old'));
    const [young] = await Array.fromAsync(store.list());
    expect(young?.storedAt).toBeGreaterThan(0);
  });

  it('keeps what is put while the same content is removed for being old', async () => {
    const folder = await temporaryFolder();
    const store = createFileBlobStore(folder);
    for (let round = 0; round < 100; round += 1) {
      const bytes = bytesOf(`contested ${round}`);
      const hash = await store.put(bytes);
      await utimes(pathOf(folder, hash), new Date(0), new Date(0));
      const removing = () => store.delete(hash, { putBefore: 1_000 });
      const putting = () => store.put(bytes);
      await Promise.all(
        round % 2 === 0
          ? [removing(), putting(), removing(), putting()]
          : [putting(), removing(), putting(), removing()],
      );
      expect(await store.get(hash)).toEqual(Buffer.from(bytes));
    }
    expect(await readdir(join(folder, 'drafts'))).toEqual([]);
  });

  it('sweeps old drafts only, and counts them first', async () => {
    const folder = await temporaryFolder();
    const store = createFileBlobStore(folder);
    expect(await store.sweepDrafts?.({ before: 1_000, remove: true })).toEqual({
      count: 0,
      bytes: 0,
    });
    const hash = await store.put(bytesOf('a blob'));
    await utimes(pathOf(folder, hash), new Date(0), new Date(0));
    const drafts = join(folder, 'drafts');
    await writeFile(join(drafts, 'old'), 'half');
    await utimes(join(drafts, 'old'), new Date(0), new Date(0));
    await writeFile(join(drafts, 'young'), 'being written');
    const found = { count: 1, bytes: 4 };
    expect(await store.sweepDrafts?.({ before: 1_000, remove: false })).toEqual(found);
    expect(await store.sweepDrafts?.({ before: 1_000, remove: true })).toEqual(found);
    expect(await readdir(drafts)).toEqual(['young']);
    expect(await store.has(hash)).toBe(true);
  });

  it('takes the same content from several processes at once', async () => {
    const folder = await temporaryFolder();
    const module = new URL('../../src/storage/file-blob-store.ts', import.meta.url).href;
    const script = `
      const { createFileBlobStore } = await import(${JSON.stringify(module)});
      const store = createFileBlobStore(${JSON.stringify(folder)});
      for (let n = 0; n < 50; n += 1) await store.put(new Uint8Array(2_000).fill(n));`;
    const writer = () => run(process.execPath, ['--input-type=module', '-e', script]);
    await Promise.all([writer(), writer(), writer()]);
    const store = createFileBlobStore(folder);
    const entries = await Array.fromAsync(store.list());
    expect(entries).toHaveLength(50);
    for (const { hash } of entries) expect((await store.get(hash)).byteLength).toBe(2_000);
  });

  it('says that a file is where its folder should be', async () => {
    const file = join(await temporaryFolder(), 'blobs');
    await writeFile(file, '');
    const store = createFileBlobStore(file);
    const failure = {
      code: 'blob_store_failed',
      message: expect.stringContaining('a file is where a folder should be'),
      hint: expect.stringContaining('another place'),
    };
    await expect(store.put(bytesOf('x'))).rejects.toMatchObject(failure);
    await expect(store.get(blobHash(bytesOf('x')))).rejects.toMatchObject(failure);
    await expect(store.has(blobHash(bytesOf('x')))).rejects.toMatchObject(failure);
    await expect(Array.fromAsync(store.list())).rejects.toMatchObject(failure);
  });

  it('says that a file system error is one, whatever it is', async () => {
    const folder = await temporaryFolder();
    const loop = join(folder, 'loop');
    await symlink(loop, loop);
    await expect(createFileBlobStore(loop).put(bytesOf('x'))).rejects.toMatchObject({
      code: 'blob_store_failed',
      message: expect.stringContaining('(ELOOP)'),
    });
  });

  it('keeps the reason of a signal that is aborted while it reads', async () => {
    const store = createFileBlobStore(await temporaryFolder());
    const hash = await store.put(new Uint8Array(8_000_000));
    const controller = new AbortController();
    const reason = new Error('enough');
    const reading = store.get(hash, { signal: controller.signal });
    controller.abort(reason);
    await expect(reading).rejects.toBe(reason);
  });

  it.skipIf(isRoot)('says that it has no right to write (root has every right)', async () => {
    const folder = await temporaryFolder();
    await chmod(folder, 0o500);
    onTestFinished(() => chmod(folder, 0o700));
    await expect(createFileBlobStore(folder).put(bytesOf('x'))).rejects.toMatchObject({
      code: 'blob_store_failed',
      hint: expect.stringContaining('right to read and write'),
    });
  });
});

describe('on a small disk of its own', () => {
  /** A disk in memory, for as long as the test. Only root on Linux may mount one. */
  async function mounted(options: string): Promise<string> {
    const folder = await temporaryFolder();
    await run('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]);
    onTestFinished(async () => {
      await run('umount', [folder]);
    });
    return folder;
  }

  async function canMount(): Promise<boolean> {
    if (!isRoot || process.platform !== 'linux') return false;
    const folder = await mkdtemp(join(tmpdir(), 'everloop-mount-'));
    try {
      await run('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]);
      await run('umount', [folder]);
      return true;
    } catch {
      return false;
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  it('a full disk is told, loses nothing that was kept, and heals when there is room again', async ({
    skip,
  }) => {
    skip(!(await canMount()), 'mounting a disk needs root on Linux');
    const folder = await mounted('size=64k');
    const store = createFileBlobStore(folder);
    const kept = await store.put(bytesOf('kept'));
    const filler = join(folder, 'filler');
    await writeFile(filler, new Uint8Array(20_000));
    const large = new Uint8Array(60_000).fill(7);
    await expect(store.put(large)).rejects.toMatchObject({
      code: 'blob_store_failed',
      message: expect.stringContaining('the disk is full (ENOSPC)'),
      hint: expect.stringContaining('free some space'),
    });
    expect(await store.has(blobHash(large))).toBe(false);
    expect(await store.get(kept)).toEqual(Buffer.from('kept'));
    // The half-written draft is gone, so it does not make things worse.
    expect(await readdir(join(folder, 'drafts'))).toEqual([]);
    await rm(filler);
    const small = new Uint8Array(20_000).fill(7);
    expect(await store.get(await store.put(small))).toEqual(Buffer.from(small));
  });

  it('a read-only disk can be read from, and says why it cannot be written to', async ({
    skip,
  }) => {
    skip(!(await canMount()), 'mounting a disk needs root on Linux');
    const folder = await mounted('size=64k');
    const store = createFileBlobStore(folder);
    const kept = await store.put(bytesOf('kept'));
    await run('mount', ['-o', 'remount,ro', folder]);
    expect(await store.get(kept)).toEqual(Buffer.from('kept'));
    await expect(store.put(bytesOf('new'))).rejects.toMatchObject({
      code: 'blob_store_failed',
      message: expect.stringContaining('read-only (EROFS)'),
    });
  });
});
