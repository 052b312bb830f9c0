/** Holds callers until a test lets them go. */
import { EventEmitter, once } from 'node:events';

export class Gate {
  readonly #events = new EventEmitter();
  #isOpen = false;
  #waiting = 0;

  /** Resolves when the gate is open; rejects when `signal` aborts. */
  async passed(signal: AbortSignal): Promise<void> {
    this.#waiting += 1;
    this.#events.emit('waiting');
    try {
      if (!this.#isOpen) await once(this.#events, 'open', { signal });
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Resolves once `count` callers wait at the gate. */
  async reached(count: number): Promise<void> {
    while (this.#waiting < count) await once(this.#events, 'waiting');
  }

  open(): void {
    this.#isOpen = true;
    this.#events.emit('open');
  }

  close(): void {
    this.#isOpen = false;
  }
}
