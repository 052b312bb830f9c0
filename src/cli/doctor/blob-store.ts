/** Whether blobs can be kept and read back, and how much room there is. */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, rm, rmdir, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EverloopError } from '../../everloop-error.ts';
import { createFileBlobStore } from '../../storage/file-blob-store.ts';
import type { Finding } from './finding.ts';
import { ok, problem, warning } from './finding.ts';

/** What a try has shown. */
export type BlobStoreFacts =
  | { readonly status: 'usable'; readonly path: string; readonly freeBytes: number }
  | { readonly status: 'failed'; readonly what: string; readonly hint: string };

const mebibyte = 1024 * 1024;
/** A busy day of runs with images and documents. */
const comfortableBytes = 1024 * mebibyte;
/** One run with a few documents, and the engine's database beside it. */
const leastBytes = 100 * mebibyte;

/** A blob of a usual size, in no way compressible. */
const probeBytes = 64 * 1024;

/** Keeps a blob and reads it back, in a store of its own inside the folder; nothing of it stays. */
export async function gatherBlobStore(path: string): Promise<BlobStoreFacts> {
  const folder = join(path, `probe-${randomUUID()}`);
  let made: string | undefined;
  try {
    made = await mkdir(folder, { recursive: true });
    const store = createFileBlobStore(folder);
    await store.get(await store.put(randomBytes(probeBytes)));
    const { bavail, bsize } = await statfs(folder);
    return { status: 'usable', path, freeBytes: bavail * bsize };
  } catch (error) {
    return { status: 'failed', ...reasonOf(error, path) };
  } finally {
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    await removeMade(dirname(folder), made);
  }
}

/** Takes the folders above away, too, that were not there before; one that is used by now stays. */
async function removeMade(folder: string, made: string | undefined): Promise<void> {
  for (let each = folder; made !== undefined && each.length >= made.length; each = dirname(each)) {
    const isGone = await rmdir(each).then(
      () => true,
      () => false,
    );
    if (!isGone) return;
  }
}

function reasonOf(error: unknown, path: string): { what: string; hint: string } {
  if (error instanceof EverloopError) {
    return { what: error.message, hint: error.hint ?? 'check the folder and its disk' };
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  return {
    what: `cannot keep blobs in ${path} (${code})`,
    hint: 'make it a folder that this user may write to, on a disk that is not full or read-only',
  };
}

/** Judges the try. */
export function blobStoreFinding(facts: BlobStoreFacts): Finding {
  if (facts.status === 'failed') return problem('blob-store', facts.what, facts.hint);
  const { path, freeBytes } = facts;
  const room = `${path} has ${formatSize(freeBytes)} free`;
  const fix = 'free some space on that disk';
  if (freeBytes < leastBytes) return problem('blob-store', `${room}: soon no run can go on`, fix);
  if (freeBytes < comfortableBytes) return warning('blob-store', `only ${room}`, fix);
  return ok('blob-store', `can be written and read; ${room}`);
}

function formatSize(bytes: number): string {
  const mebibytes = bytes / mebibyte;
  return mebibytes >= 1024
    ? `${(mebibytes / 1024).toFixed(1)} GiB`
    : `${Math.floor(mebibytes)} MiB`;
}
