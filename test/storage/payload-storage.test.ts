/** Payloads that are too large for the server, in the blob store. */
import type { Payload } from '@temporalio/common';
import { ExternalStorage } from '@temporalio/common';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BlobStore } from '../../src/storage/blob-store.ts';
import { createMemoryBlobStore } from '../../src/storage/memory-blob-store.ts';
import { withPayloadStorage } from '../../src/storage/payload-storage.ts';

function driverOver(blobs: BlobStore) {
  const { externalStorage } = withPayloadStorage(undefined, blobs);
  const [driver] = externalStorage?.drivers ?? [];
  if (driver === undefined) throw new Error('there is no driver');
  return driver;
}

const payload = fc.record({
  metadata: fc.dictionary(fc.string(), fc.uint8Array()),
  data: fc.uint8Array(),
});

/** The same as plain arrays: a Buffer is not equal to a Uint8Array. */
function plain({ metadata, data }: Payload) {
  const entries = Object.entries(metadata ?? {}).map(([key, value]) => [key, [...value]] as const);
  return { metadata: Object.fromEntries(entries), data: [...(data ?? [])] };
}

describe('a payload', () => {
  it('comes back as it was, whatever is in it', async () => {
    const driver = driverOver(createMemoryBlobStore());
    await fc.assert(
      fc.asyncProperty(fc.array(payload, { maxLength: 4 }), async (payloads) => {
        const claims = await driver.store({}, payloads);
        const back = await driver.retrieve({}, claims);
        expect(back.map(plain)).toEqual(payloads.map(plain));
      }),
      { numRuns: 50 },
    );
  });

  it('is kept once, however often it is stored', async () => {
    const blobs = createMemoryBlobStore();
    const driver = driverOver(blobs);
    const same = { metadata: {}, data: Buffer.from('x') };
    const [one, other] = await driver.store({}, [same, same]);
    expect(one).toEqual(other);
    expect(await Array.fromAsync(blobs.list())).toMatchObject([{ hash: one?.claimData['hash'] }]);
  });

  it('that is gone is missing, and another blob is none', async () => {
    const blobs = createMemoryBlobStore();
    const driver = driverOver(blobs);
    const [claim] = await driver.store({}, [{ metadata: {}, data: Buffer.from('x') }]);
    if (claim === undefined) throw new Error('there is no claim');
    await blobs.delete(claim.claimData['hash'] ?? '');
    await expect(driver.retrieve({}, [claim])).rejects.toMatchObject({ code: 'blob_missing' });
    for (const text of ['no payload', '{"version":1}\n', '', '{"metadata":7}\nx']) {
      const hash = await blobs.put(Buffer.from(text));
      await expect(driver.retrieve({}, [{ claimData: { hash } }])).rejects.toMatchObject({
        code: 'blob_store_failed',
      });
    }
  });
});

describe('a converter', () => {
  it('keeps its codecs, and an external storage of its own', () => {
    const blobs = createMemoryBlobStore();
    const codec = { encode: async (all: Payload[]) => all, decode: async (all: Payload[]) => all };
    const payloadCodecs = [codec];
    expect(withPayloadStorage({ payloadCodecs }, blobs).payloadCodecs).toBe(payloadCodecs);
    const externalStorage = new ExternalStorage({ drivers: [driverOver(blobs)] });
    expect(withPayloadStorage({ externalStorage }, blobs).externalStorage).toBe(externalStorage);
  });
});
