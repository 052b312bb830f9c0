/** What was opened and has to be closed again, in reverse order, whatever happens in between. */

/** A list of things to close. */
export class Opened {
  readonly #closers: (() => Promise<unknown>)[] = [];

  /** Will be called by {@link close}. */
  defer(close: () => Promise<unknown>): void {
    this.#closers.push(close);
  }

  /**
   * Closes what was opened last first, all of it, even when one cannot be closed.
   * @throws what the first that could not be closed threw
   */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const close of this.#closers.splice(0).reverse()) {
      await close().catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }
}
