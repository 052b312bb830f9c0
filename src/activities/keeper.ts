/** Puts bytes into the blob store in the time that a call has left: a store that hangs must not cost a result. */
import { activityInfo, Context } from '@temporalio/activity';
import type { BlobStore } from '../storage/blob-store.ts';
import { bounded } from './bounded.ts';

/** Of the Activity's time, what the answer's way takes. */
const reserveMs = 2_000;
/** Once the run is cancelled, it waits for the answer only a little longer than the tool may take to stop. */
const graceMs = 1_000;

/** The half of a blob store that writes. */
export type Keeper = Pick<BlobStore, 'put'>;

/** The store, for the Activity that began at `startedAt` (milliseconds since the epoch). Its `put` rejects with TimedOut, too. */
export function createKeeper(blobs: BlobStore, startedAt: number): Keeper {
  const deadline = startedAt + activityInfo().startToCloseTimeoutMs - reserveMs;
  return {
    put: (bytes, options) =>
      bounded(() => blobs.put(bytes, options), {
        timeoutMs: Math.max(1, deadline - Date.now()),
        stop: Context.current().cancellationSignal,
        graceMs,
      }),
  };
}
