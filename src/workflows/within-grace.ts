/** Waits for a call that has been told to stop, but not for ever. */
import type { Run } from './run.ts';

/**
 * What `onValue` makes of the call's value or `onError` of its failure; undefined when the run was cancelled
 * and the call has not stopped within the grace period. Rejects with what `onError` throws, and with the failure
 * itself when there is none. As few Promises as can be: the SDK takes a stack trace for each one.
 */
export function withinGrace<T, R>(
  run: Run,
  call: Promise<T>,
  onValue: (value: T) => R,
  onError: (error: unknown) => R = rethrow,
): Promise<R | undefined> {
  return new Promise((resolve, reject) => {
    const forget = run.onGraceOver(() => resolve(undefined));
    const settle = (outcome: () => R) => {
      forget();
      try {
        resolve(outcome());
      } catch (error) {
        reject(error);
      }
    };
    call.then(
      (value) => settle(() => onValue(value)),
      (error: unknown) => settle(() => onError(error)),
    );
  });
}

function rethrow(error: unknown): never {
  throw error;
}
