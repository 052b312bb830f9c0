/** Which blobs a text names, and what those name in turn. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blobHash } from '../../src/storage/blob-store.ts';
import { createMemoryBlobStore } from '../../src/storage/memory-blob-store.ts';
import { hashesIn, withNamedBlobs } from '../../src/storage/named-blobs.ts';

const hash = fc.uint8Array({ minLength: 8, maxLength: 8 }).map(blobHash);

describe('the hashes in a text', () => {
  it('are found wherever they stand, also within other digits', () => {
    fc.assert(
      fc.property(hash, fc.string(), fc.string(), (known, before, after) => {
        const digits = [`${before}${known}${after}`, `${before}0f${known}a1${after}`];
        for (const text of digits) {
          expect(new Set(hashesIn(text, new Set([known])))).toEqual(new Set([known]));
        }
      }),
    );
  });

  it('are only those that are known', () => {
    const [one, other] = [blobHash(Buffer.from('1')), blobHash(Buffer.from('2'))];
    expect([...hashesIn(`"${one}" ${other} ${one}`, new Set([one]))]).toEqual([one, one]);
    expect([...hashesIn(one.slice(1), new Set([one]))]).toEqual([]);
    expect([...hashesIn(one.toUpperCase(), new Set([one]))]).toEqual([]);
  });
});

describe('what a blob names', () => {
  it('is needed with it, through any number of blobs, and round in a circle', async () => {
    const blobs = createMemoryBlobStore();
    const put = (text: string) => blobs.put(Buffer.from(text));
    const image = await put('\u0000\u0001 an image');
    const segment = await put(JSON.stringify({ messages: [{ media: image }] }));
    const list = await put(JSON.stringify({ segments: [{ hash: segment }, { hash: image }] }));
    const other = await put('nobody needs it');
    const known = new Set([image, segment, list, other]);
    expect(await withNamedBlobs(blobs, [list], known)).toEqual(new Set([list, segment, image]));
    expect(await withNamedBlobs(blobs, [], known)).toEqual(new Set());
  });

  it('is nothing when it is gone, and not known when it cannot be read', async () => {
    const blobs = createMemoryBlobStore();
    const gone = blobHash(Buffer.from('gone'));
    expect(await withNamedBlobs(blobs, [gone], new Set([gone]))).toEqual(new Set([gone]));
    const damaged = {
      get: () => Promise.reject(new Error('damaged')),
      has: async () => true,
    };
    await expect(withNamedBlobs(damaged, [gone], new Set([gone]))).rejects.toThrow('damaged');
  });
});
