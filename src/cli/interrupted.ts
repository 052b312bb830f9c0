/** Ends a command that was asked to stop while it had nothing to keep. */

/** The command was interrupted. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** The result of `work`, or Interrupted if the signal comes first. `work` is left to itself then. */
export async function orInterrupted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(new Interrupted('interrupted'));
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Resolves when the signal is aborted. */
export async function untilInterrupted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
}
