/** Finds the blobs that something names. Whatever looks like a hash counts: to keep too much costs space, to keep too little costs runs. */
import type { BlobStore } from './blob-store.ts';

/** Digits of a hash. */
const hashLength = 64;

/** The known hashes that stand in the text, wherever and however often. */
export function* hashesIn(
  text: string,
  known: ReadonlySet<string>,
): Generator<string, void, undefined> {
  for (const [digits] of text.matchAll(/[0-9a-f]{64,}/g)) {
    for (let start = 0; start + hashLength <= digits.length; start += 1) {
      const hash = digits.slice(start, start + hashLength);
      if (known.has(hash)) yield hash;
    }
  }
}

/**
 * The blobs themselves, and all those that their content names, and so on: a transcript names its segments, and a
 * segment the images in it.
 * @param known all blobs of the store
 * @throws EverloopError `blob_store_failed` when one cannot be read, so that nobody knows what it names
 */
export async function withNamedBlobs(
  blobs: Pick<BlobStore, 'get' | 'has'>,
  named: Iterable<string>,
  known: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const found = new Set(named);
  // A set that grows while it is gone through gives what was added, too.
  for (const hash of found) {
    const bytes = await bytesOf(blobs, hash);
    if (bytes === undefined) continue;
    // Digits are the same bytes in every encoding that texts are kept in.
    for (const inner of hashesIn(Buffer.from(bytes).toString('latin1'), known)) found.add(inner);
  }
  return found;
}

/** Undefined when it went away since it was listed. */
async function bytesOf(
  blobs: Pick<BlobStore, 'get' | 'has'>,
  hash: string,
): Promise<Uint8Array | undefined> {
  try {
    return await blobs.get(hash);
  } catch (error) {
    if (await blobs.has(hash)) throw error;
    return undefined;
  }
}
