import { describe, it } from 'vitest';
import { createMemoryBlobStore } from '../../src/storage/memory-blob-store.ts';
import { blobStoreConformance } from '../../src/testing/blob-store-conformance.ts';

describe('the blob store in memory', () => {
  for (const { title, check } of blobStoreConformance) {
    it(title, () =>
      check({ create: async () => ({ store: createMemoryBlobStore(), close: async () => {} }) }),
    );
  }
});
