/** A blob store that lives as long as its process: for tests. */
import type { BlobStore } from './blob-store.ts';
import { blobHash, blobMissing } from './blob-store.ts';

/** Keeps blobs in memory. */
export function createMemoryBlobStore(): BlobStore {
  const blobs = new Map<string, { readonly bytes: Uint8Array; readonly storedAt: number }>();
  return {
    async put(bytes) {
      const hash = blobHash(bytes);
      blobs.set(hash, { bytes: Uint8Array.from(bytes), storedAt: Date.now() });
      return hash;
    },
    async get(hash, { signal } = {}) {
      signal?.throwIfAborted();
      const kept = blobs.get(hash);
      if (kept === undefined) throw blobMissing(hash);
      return Uint8Array.from(kept.bytes);
    },
    async has(hash) {
      return blobs.has(hash);
    },
    async *list() {
      for (const [hash, { bytes, storedAt }] of blobs) {
        yield { hash, size: bytes.byteLength, storedAt };
      }
    },
    async delete(hash, { putBefore = Number.POSITIVE_INFINITY } = {}) {
      const kept = blobs.get(hash);
      return kept !== undefined && kept.storedAt < putBefore && blobs.delete(hash);
    },
  };
}
