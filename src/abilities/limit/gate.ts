/** A gate that lets a number of callers in at once, the others in the order in which they came. */

/** setTimeout takes no longer delay: a larger one would fire at once. */
const longestDelayMs = 2 ** 31 - 1;

/** How many callers at once, and how long the others wait. */
export interface GateOptions {
  readonly concurrency: number;
  /** What the gate is in front of, in errors. */
  readonly name: string;
  readonly maxWaitMs: number;
}

/** A gate: who is let in lets the next one in on leaving. */
export class Gate {
  /** Who passes several gates passes them in the order of their ranks: so no two wait for each other. */
  readonly rank = crypto.randomUUID();
  readonly maxWaitMs: number;
  readonly #name: string;
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor({ concurrency, name, maxWaitMs }: GateOptions) {
    this.#free = concurrency;
    this.#name = name;
    this.maxWaitMs = maxWaitMs;
  }

  /** Resolves with what gives the place back; rejects with the reason of `signal`, or after the longest wait. */
  async pass(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(signal);
    let held = true;
    return () => {
      if (held) this.#handOn();
      held = false;
    };
  }

  /** Waits in line; whoever leaves hands the place over, so that nobody who comes meanwhile takes it. */
  #turn(signal: AbortSignal): Promise<void> {
    const turn = Promise.withResolvers<void>();
    this.#waiting.push(turn.resolve);
    const leave = (reason: unknown) => {
      const index = this.#waiting.indexOf(turn.resolve);
      if (index === -1) return;
      this.#waiting.splice(index, 1);
      turn.reject(reason);
    };
    const onAbort = () => leave(signal.reason);
    const timer = setTimeout(
      () => leave(new Error(`no place at ${this.#name} within ${this.maxWaitMs / 1000} seconds`)),
      Math.min(this.maxWaitMs, longestDelayMs),
    );
    signal.addEventListener('abort', onAbort, { once: true });
    return turn.promise.finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    });
  }

  #handOn(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
