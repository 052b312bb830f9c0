/** Keeps in the blob store what is too large for the Temporal server: the safety net below all limits, which nothing reaches in normal life. */
import type { DataConverter, Payload, StorageDriver } from '@temporalio/common';
import { ExternalStorage, StorageDriverClaim } from '@temporalio/common';
import { EverloopError } from '../everloop-error.ts';
import type { BlobStore } from './blob-store.ts';

/**
 * Bytes from which on a payload is kept in the blob store. Everloop's own are 1.8 MB of JSON at most, and the server
 * takes 2 MiB: a payload between is what a codec added to, and still goes the usual way.
 */
const thresholdBytes = 1_950_000;

/** Written into histories: it stays as it is. */
const driverName = 'everloop-blobs';

/** What is needed of a blob store here. */
export type PayloadBlobs = Pick<BlobStore, 'put' | 'get'>;

/**
 * The converter with the blob store below it. One that has an external storage of its own stays as it is.
 *
 * Contract: Workers, clients and replays of a run share the store.
 */
export function withPayloadStorage(
  converter: DataConverter | undefined,
  blobs: PayloadBlobs,
): DataConverter {
  if (converter?.externalStorage !== undefined) return converter;
  const drivers = [payloadDriver(blobs)];
  const externalStorage = new ExternalStorage({ drivers, payloadSizeThreshold: thresholdBytes });
  return { ...converter, externalStorage };
}

function payloadDriver(blobs: PayloadBlobs): StorageDriver {
  return {
    name: driverName,
    type: 'everloop.blobs',
    async store(_context, payloads) {
      return await Promise.all(
        payloads.map(
          async (payload) => new StorageDriverClaim({ hash: await put(blobs, payload) }),
        ),
      );
    },
    async retrieve({ abortSignal: signal }, claims) {
      return await Promise.all(
        claims.map(async ({ claimData }) => {
          const { hash = '' } = claimData;
          return toPayload(await blobs.get(hash, { ...(signal && { signal }) }), hash);
        }),
      );
    },
  };
}

/** A line of JSON with the metadata, then the data as they are. */
async function put(blobs: PayloadBlobs, { metadata, data }: Payload): Promise<string> {
  const entries = Object.entries(metadata ?? {});
  const encoded = entries.map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
  const head = `${JSON.stringify({ version: 1, metadata: Object.fromEntries(encoded) })}\n`;
  return await blobs.put(Buffer.concat([Buffer.from(head), data ?? new Uint8Array()]));
}

function toPayload(bytes: Uint8Array, hash: string): Payload {
  const end = bytes.indexOf(newline);
  const metadata = metadataIn(new TextDecoder().decode(bytes.subarray(0, Math.max(0, end))));
  if (metadata !== undefined) return { metadata, data: bytes.subarray(end + 1) };
  throw new EverloopError('blob_store_failed', `blob ${hash} holds no payload`, {
    hint: 'the hash is right and the content is not: it was written by another program',
  });
}

const newline = 0x0a;

function metadataIn(head: string): Record<string, Uint8Array> | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(head);
  } catch {
    return undefined;
  }
  if (typeof parsed !== 'object' || parsed === null || !('metadata' in parsed)) return undefined;
  const { metadata } = parsed;
  if (typeof metadata !== 'object' || metadata === null) return undefined;
  const entries = Object.entries(metadata);
  return Object.fromEntries(
    entries.map(([key, value]) => [key, Buffer.from(String(value), 'base64')]),
  );
}
