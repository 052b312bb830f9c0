/** Waits for a call that has been told to stop, but not for ever. */
import { CancellationScope, isCancellation, sleep } from '@temporalio/workflow';

/** Calls have ten seconds to stop after a cancellation; two more are for their answer's way. Then their outcome counts as unknown. */
const grace = '12 seconds';

/**
 * The outcome of `call`; undefined when the run was cancelled and the call has not stopped within the grace
 * period. Rejects as `call` does.
 */
export async function withinGrace<T>(call: Promise<T>): Promise<T | undefined> {
  const settled = call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  const cancelled = CancellationScope.current().cancelRequested.catch((error: unknown) => {
    if (!isCancellation(error)) throw error;
    return CancellationScope.nonCancellable(() => sleep(grace)).then(() => undefined);
  });
  const first = await CancellationScope.nonCancellable(() => Promise.race([settled, cancelled]));
  if (first === undefined) return undefined;
  if ('error' in first) throw first.error;
  return first.value;
}
