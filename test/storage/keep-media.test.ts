import { describe, expect, it } from 'vitest';
import type { Media } from '../../src/chat/media.ts';
import { blobHash } from '../../src/storage/blob-store.ts';
import { keepMedia } from '../../src/storage/keep-media.ts';
import { createMemoryBlobStore } from '../../src/storage/memory-blob-store.ts';

function image(bytes: string): Media {
  return { mime: 'image/png', name: 'a.png', source: { kind: 'bytes', bytes } };
}

describe('media on their way into the blob store', () => {
  it('carry the address and size of their bytes from the first byte beyond 8 KB of base64', async () => {
    const blobs = createMemoryBlobStore();
    const small = image(Buffer.alloc(6_144, 1).toString('base64'));
    expect(await keepMedia(blobs, small)).toBe(small);
    const bytes = Buffer.alloc(6_145, 1);
    const kept = await keepMedia(blobs, image(bytes.toString('base64')));
    const source = { kind: 'blob', hash: blobHash(bytes), size: 6_145 };
    expect(kept).toEqual({ mime: 'image/png', name: 'a.png', source });
    expect(Buffer.compare(await blobs.get(blobHash(bytes)), bytes)).toBe(0);
  });

  it('stay as they are when they are somewhere already, or are no base64', async () => {
    const blobs = createMemoryBlobStore();
    const at = { mime: 'image/png', source: { kind: 'uri' as const, uri: 'https://a.example/b' } };
    const broken = image(`${'A'.repeat(10_000)}!!!!`);
    for (const media of [at, broken]) expect(await keepMedia(blobs, media)).toBe(media);
    expect(await Array.fromAsync(blobs.list())).toEqual([]);
  });
});
