/** Runs work that may not look at its signal, and does not wait for it for ever. */

/** The work did not end in its time. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

export interface Bounds {
  readonly timeoutMs: number;
  /** Aborted when the work shall stop. */
  readonly stop: AbortSignal;
  /** Time to end by itself after `stop`. */
  readonly graceMs: number;
}

/** setTimeout takes no longer delay: a larger one would fire at once. */
const longestDelayMs = 2 ** 31 - 1;

/**
 * The outcome of `work`, which gets a signal for both bounds.
 * Rejects with TimedOut at the timeout, and with the reason of `stop` when the grace period is over.
 */
export function bounded<T>(
  work: (signal: AbortSignal) => Promise<T>,
  { timeoutMs, stop, graceMs }: Bounds,
): Promise<T> {
  const controller = new AbortController();
  const outcome = Promise.withResolvers<T>();
  const timers = [
    setTimeout(
      () => {
        const error = new TimedOut(`no end within ${timeoutMs} ms`);
        controller.abort(error);
        outcome.reject(error);
      },
      Math.min(timeoutMs, longestDelayMs),
    ),
  ];
  const onStop = () => {
    controller.abort(stop.reason);
    timers.push(setTimeout(() => outcome.reject(stop.reason), graceMs));
  };
  if (stop.aborted) onStop();
  else stop.addEventListener('abort', onStop, { once: true });
  // Started at once, and caught: work that throws right away must not leave the timers behind.
  new Promise<T>((resolve) => resolve(work(controller.signal))).then(
    outcome.resolve,
    outcome.reject,
  );
  return outcome.promise.finally(() => {
    for (const timer of timers) clearTimeout(timer);
    stop.removeEventListener('abort', onStop);
  });
}
