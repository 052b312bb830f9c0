/** What every BlobStore must do, as checks that any test runner can run. */
import assert from 'node:assert/strict';
import type { BlobEntry, BlobStore } from '../storage/blob-store.ts';

/** An empty store, and what can be done to it from outside. */
export interface ConformanceBlobStore {
  readonly store: BlobStore;
  /** Another store over the same blobs; leave out where blobs live and die with one store. */
  another?(): Promise<BlobStore>;
  /** Changes what is kept under the hash, without the store; leave out where that cannot be done. */
  damage?(hash: string): Promise<void>;
  /** Resolves when everything is released. */
  close(): Promise<void>;
}

/** Makes empty stores to check. */
export interface BlobStoreSubject {
  create(): Promise<ConformanceBlobStore>;
}

/** One thing that holds for every store; throws an AssertionError where it does not. */
export interface BlobStoreCheck {
  readonly title: string;
  check(subject: BlobStoreSubject): Promise<void>;
}

/** Test vectors of FIPS 180: the addresses of nothing and of `abc`. */
const vectors = [
  ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
] as const;

const absent = '0'.repeat(64);

/** The checks; run each as a test of its own. */
export const blobStoreConformance: readonly BlobStoreCheck[] = [
  check('gives back exactly what was put', async ({ store }) => {
    const everyByte = Uint8Array.from({ length: 256 }, (_, index) => index);
    const large = new Uint8Array(1_500_000).map((_, index) => (index * index) % 251);
    for (const bytes of [new Uint8Array(), new Uint8Array([0]), everyByte, large]) {
      assert.deepEqual(new Uint8Array(await store.get(await store.put(bytes))), bytes);
    }
  }),
  check('keeps bytes under the SHA-256 of their content', async ({ store }) => {
    for (const [text, hash] of vectors) assert.equal(await store.put(bytesOf(text)), hash);
  }),
  check('keeps the same content once, whatever its type', async ({ store }) => {
    const first = await store.put(bytesOf('same'), { type: 'text/plain' });
    assert.equal(await store.put(bytesOf('same'), { type: 'text/markdown' }), first);
    assert.equal(await store.put(bytesOf('same')), first);
    assert.deepEqual(
      (await listed(store)).map(({ hash }) => hash),
      [first],
    );
  }),
  check('takes the same content from many at once', async ({ store }) => {
    const puts = Array.from({ length: 24 }, () => store.put(bytesOf('everybody')));
    const hashes = new Set(await Promise.all(puts));
    assert.equal(hashes.size, 1);
    for (const hash of hashes) assert.equal(textOf(await store.get(hash)), 'everybody');
    assert.equal((await listed(store)).length, 1);
  }),
  check('takes different contents from many at once', async ({ store }) => {
    const texts = Array.from({ length: 24 }, (_, index) => `number ${index}`);
    const hashes = await Promise.all(texts.map((text) => store.put(bytesOf(text))));
    const read = await Promise.all(hashes.map(async (hash) => textOf(await store.get(hash))));
    assert.deepEqual(read, texts);
  }),
  check('knows what it has', async ({ store }) => {
    assert.equal(await store.has(absent), false);
    const hash = await store.put(bytesOf('here'));
    assert.equal(await store.has(hash), true);
    assert.equal(await store.has(absent), false);
  }),
  check('says that a blob is missing', async ({ store }) => {
    await assert.rejects(store.get(absent), { name: 'EverloopError', code: 'blob_missing' });
    await store.put(bytesOf('another'));
    await assert.rejects(store.get(absent), { name: 'EverloopError', code: 'blob_missing' });
  }),
  check('has nothing under what is no hash', async ({ store }) => {
    const hash = await store.put(bytesOf('abc'));
    const traversal = `${hash.slice(0, 2)}/../${hash.slice(0, 2)}/${hash}`;
    for (const text of ['', '..', traversal, hash.toUpperCase(), hash.slice(1), `${hash}\n`]) {
      assert.equal(await store.has(text), false);
      await assert.rejects(store.get(text), { code: 'blob_missing' });
    }
  }),
  check('is not touched by changes to what was put or read', async ({ store }) => {
    const given = bytesOf('as it was');
    const hash = await store.put(given);
    given.fill(0);
    const read = await store.get(hash);
    assert.equal(textOf(read), 'as it was');
    read.fill(0);
    assert.equal(textOf(await store.get(hash)), 'as it was');
  }),
  check('keeps of a view what the view shows', async ({ store }) => {
    const hash = await store.put(bytesOf('<<inner>>').subarray(2, 7));
    assert.equal(textOf(await store.get(hash)), 'inner');
    assert.equal(hash, await store.put(bytesOf('inner')));
  }),
  check('does not read for who has given up', async ({ store }) => {
    const hash = await store.put(bytesOf('too late'));
    const reason = new Error('given up by the test');
    await assert.rejects(store.get(hash, { signal: AbortSignal.abort(reason) }), (error) => {
      assert.equal(error, reason);
      return true;
    });
  }),
  check('lists all that is kept, with sizes and times', async ({ store }) => {
    assert.deepEqual(await listed(store), []);
    const texts = ['one', 'three', ''];
    const hashes = await Promise.all(texts.map((text) => store.put(bytesOf(text))));
    const entries = new Map((await listed(store)).map((entry) => [entry.hash, entry]));
    assert.deepEqual([...entries.keys()].toSorted(), hashes.toSorted());
    assert.deepEqual(
      hashes.map((hash) => entries.get(hash)?.size),
      [3, 5, 0],
    );
    for (const { storedAt } of entries.values()) assert.ok(Number.isFinite(storedAt));
  }),
  check('removes what it is told to, and nothing else', async ({ store }) => {
    const gone = await store.put(bytesOf('gone'));
    const stays = await store.put(bytesOf('stays'));
    assert.equal(await store.delete(gone), true);
    assert.equal(await store.has(gone), false);
    await assert.rejects(store.get(gone), { code: 'blob_missing' });
    assert.deepEqual(
      (await listed(store)).map(({ hash }) => hash),
      [stays],
    );
    assert.equal(textOf(await store.get(stays)), 'stays');
    assert.equal(await store.delete(gone), false);
    for (const name of ['', 'stays', '../secret']) assert.equal(await store.delete(name), false);
  }),
  check('has what is put again after it was removed', async ({ store }) => {
    const hash = await store.put(bytesOf('again'));
    await store.delete(hash);
    assert.equal(await store.put(bytesOf('again')), hash);
    assert.equal(textOf(await store.get(hash)), 'again');
  }),
  check('removes nothing that was put since', async ({ store }) => {
    const hash = await store.put(bytesOf('young'));
    const [entry] = await listed(store);
    const storedAt = entry?.storedAt ?? Number.NaN;
    assert.equal(await store.delete(hash, { putBefore: storedAt }), false);
    assert.equal(textOf(await store.get(hash)), 'young');
    assert.equal(await store.delete(hash, { putBefore: storedAt + 60_000 }), true);
    assert.equal(await store.has(hash), false);
  }),
  check('shares its blobs with another store of the same place', async ({ store, another }) => {
    if (another === undefined) return;
    const hash = await store.put(bytesOf('shared'));
    const other = await another();
    assert.equal(textOf(await other.get(hash)), 'shared');
    assert.equal(await other.has(hash), true);
    const back = await other.put(bytesOf('back'));
    assert.equal(textOf(await store.get(back)), 'back');
  }),
  check('takes damage for an error and never for content', async ({ store, damage }) => {
    if (damage === undefined) return;
    const hash = await store.put(bytesOf('whole'));
    await damage(hash);
    await assert.rejects(store.get(hash), { code: 'blob_store_failed', message: /damaged/ });
  }),
  check('is repaired by putting the same content again', async ({ store, damage }) => {
    if (damage === undefined) return;
    const hash = await store.put(bytesOf('whole'));
    await damage(hash);
    assert.equal(await store.put(bytesOf('whole')), hash);
    assert.equal(textOf(await store.get(hash)), 'whole');
  }),
];

function check(
  title: string,
  run: (subject: ConformanceBlobStore) => Promise<void>,
): BlobStoreCheck {
  return {
    title,
    async check(subject) {
      const created = await subject.create();
      try {
        await run(created);
      } finally {
        await created.close();
      }
    },
  };
}

async function listed(store: BlobStore): Promise<BlobEntry[]> {
  return await Array.fromAsync(store.list());
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
