/** Starts and kills Worker processes. */
import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('./worker-main.ts', import.meta.url));

export class WorkerProcess {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Resolves once the Worker polls. `args`: address, task queue, provider's base URL, ledger file, bundle file. */
  static async start(args: readonly string[]): Promise<WorkerProcess> {
    const child = fork(main, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const [message] = await once(child, 'message');
    if (message !== 'ready') throw new Error(`the Worker said ${String(message)}`);
    return new WorkerProcess(child);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Model contexts found in the process, and rebuilt from history. */
  async counts(): Promise<{ hits: number; misses: number }> {
    const answer = once(this.#child, 'message');
    this.#child.send('counts');
    const [{ counts }] = await answer;
    return counts;
  }

  /** Drains the Worker and ends its process, as a deployment does. */
  async shutdown(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.send('shutdown');
    await exited;
  }

  /** SIGKILL: no handler runs, nothing is said. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }
}
