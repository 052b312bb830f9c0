/** Waits for a call that has been told to stop, but not for ever. */
import { CancellationScope } from '@temporalio/workflow';
import type { Run } from './run.ts';

/**
 * The outcome of `call`; undefined when the run was cancelled and the call has not stopped within the grace
 * period. Rejects as `call` does.
 */
export async function withinGrace<T>(run: Run, call: Promise<T>): Promise<T | undefined> {
  const settled = call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  const first = await CancellationScope.nonCancellable(() =>
    Promise.race([settled, run.graceOver]),
  );
  if (first === undefined) return undefined;
  if ('error' in first) throw first.error;
  return first.value;
}
