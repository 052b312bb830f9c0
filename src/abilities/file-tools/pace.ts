/** Lets long work in one process make way for everything else, and end in time. */
import { setImmediate } from 'node:timers/promises';

/** How long work may hold up everything else in the Worker, heartbeats included. */
const maxBusyMs = 50;

/** Watches one piece of work by the clock it is given. */
export class Pace {
  readonly #now: () => number;
  readonly #signal: AbortSignal;
  readonly #end: number;
  #rested: number;

  constructor(now: () => number, maxMs: number, signal: AbortSignal) {
    this.#now = now;
    this.#signal = signal;
    this.#rested = now();
    this.#end = this.#rested + maxMs;
  }

  /** Whether it is time to {@link Pace.rest}. */
  get isDue(): boolean {
    return this.#now() - this.#rested >= maxBusyMs;
  }

  /** Whether the time for the whole work is over. */
  get isOver(): boolean {
    return this.#now() >= this.#end;
  }

  /** Lets others run. Rejects with the signal's reason when the work was cancelled meanwhile. */
  async rest(): Promise<void> {
    await setImmediate();
    this.#signal.throwIfAborted();
    this.#rested = this.#now();
  }
}
