/** The blob store: keeps bytes under the hash of their content. What every implementation promises, and its errors. */
import { createHash } from 'node:crypto';
import { EverloopError } from '../everloop-error.ts';

/** One kept blob, as a collector of garbage needs to know it. */
export interface BlobEntry {
  readonly hash: string;
  /** In bytes. */
  readonly size: number;
  /** When these bytes were put last, milliseconds since the epoch. */
  readonly storedAt: number;
}

/**
 * Keeps bytes under their content's address, see {@link blobHash}.
 *
 * Contract: when `put` has resolved, the bytes outlive the process; `get` answers with exactly the bytes that have
 * the hash, or throws; puts of the same content at the same time are all right, and so is any number of processes.
 */
export interface BlobStore {
  /**
   * Keeps the bytes and answers with their hash. Bytes that are there already are kept once, and their `storedAt` is
   * renewed: who collects garbage spares what is young, and so what somebody is about to refer to.
   *
   * Contract: the caller leaves `bytes` alone until this has resolved.
   * @param options.type MIME type, for a store that hands blobs out by itself; no part of the address
   * @throws EverloopError `blob_store_failed`
   */
  put(bytes: Uint8Array, options?: { readonly type?: string }): Promise<string>;
  /**
   * The bytes with this hash; they belong to the caller.
   * @throws EverloopError `blob_missing`; `blob_store_failed`, also when what is kept is not what was put; the reason
   * of the signal when it is aborted
   */
  get(hash: string, options?: { readonly signal?: AbortSignal }): Promise<Uint8Array>;
  /**
   * Whether bytes are kept under this hash; they are not read.
   * @throws EverloopError `blob_store_failed`
   */
  has(hash: string): Promise<boolean>;
  /**
   * All that is kept, in no order. What is put or goes away meanwhile may be listed or not.
   * @throws EverloopError `blob_store_failed`
   */
  list(): AsyncIterable<BlobEntry>;
  /**
   * Removes the blob with this hash, unless its bytes were put at `putBefore` (milliseconds since the epoch) or later:
   * somebody may be about to refer to what is put anew. Answers whether it was removed.
   * @throws EverloopError `blob_store_failed`
   */
  delete(hash: string, options?: { readonly putBefore?: number }): Promise<boolean>;
  /**
   * Counts what broken-off puts have left and nobody has written to since `before` (milliseconds since the epoch),
   * and removes it when `remove` says so. Absent where a broken-off put leaves nothing.
   * @throws EverloopError `blob_store_failed`
   */
  sweepDrafts?(options: {
    readonly before: number;
    readonly remove: boolean;
  }): Promise<SweptDrafts>;
}

/** What broken-off puts have left. */
export interface SweptDrafts {
  readonly count: number;
  readonly bytes: number;
}

/** The address of bytes: their SHA-256 in lower-case hexadecimal digits. */
export function blobHash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Whether a text can be the address of a blob at all. What is none must not become part of a path or a URL. */
export function isBlobHash(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** The error of `get` where nothing is kept under the hash. */
export function blobMissing(hash: string, cause?: unknown): EverloopError {
  return new EverloopError('blob_missing', `there is no blob ${JSON.stringify(hash)}`, {
    hint: 'it was removed, or is kept in another blob store: check that all processes use the same one',
    ...(cause !== undefined && { cause }),
  });
}

/** The error of `get` where something else is kept than was put. */
export function blobDamaged(hash: string, place: string): EverloopError {
  return new EverloopError(
    'blob_store_failed',
    `blob ${hash} is damaged: what ${place} holds is not what was put there`,
    { hint: 'restore it from a copy; putting the same content again repairs it, too' },
  );
}
