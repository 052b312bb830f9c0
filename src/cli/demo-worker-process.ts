/** Starts the demo's Worker processes, and kills them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { EverloopError } from '../everloop-error.ts';
import type { DemoWorkerOrder } from './demo-worker.ts';

/** A Worker process. */
export interface DemoWorkerProcess {
  readonly pid: number;
  /** Ends it without warning; resolves when it is gone. */
  kill(): Promise<void>;
  /** Lets it end in order. */
  end(): Promise<void>;
  /** Rejects when it ends unasked. */
  readonly failed: Promise<never>;
}

/** Sources run as they are (`.ts`), the package runs what was built of them (`.js`). */
const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
const program = fileURLToPath(new URL(`./demo-worker${extension}`, import.meta.url));

/** Starts one. It dies with this process, for its input closes then. */
export function startDemoWorker(order: DemoWorkerOrder): DemoWorkerProcess {
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'ignore', 'pipe'], env: {} });
  let asked = false;
  let said = '';
  child.stderr.on('data', (piece: Buffer) => {
    said = `${said}${piece.toString()}`.slice(-2_000);
  });
  // Writing to a process that has just been killed.
  child.stdin.on('error', () => undefined);
  child.stdin.write(`${JSON.stringify(order)}\n`);
  const exited = once(child, 'exit');
  const failed = exited.then(async () => {
    if (asked) return await new Promise<never>(() => {});
    throw new EverloopError('engine_failed', "the demo's Worker process ended by itself", {
      hint: 'see what it said, then try again',
      cause: new Error(said.trim().split('\n').at(-1) ?? ''),
    });
  });
  failed.catch(() => undefined);
  return {
    pid: child.pid ?? 0,
    failed,
    async kill() {
      asked = true;
      child.kill('SIGKILL');
      await exited;
    },
    async end() {
      asked = true;
      child.stdin.end();
      await exited;
    },
  };
}
