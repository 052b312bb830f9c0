/** Starts the Worker processes that are killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { CrashWorkerOrder } from './crash-worker.ts';

/** A Worker process. */
export interface CrashWorkerProcess {
  /** Resolves when it was killed; rejects when it ended in another way without being asked. */
  readonly killed: Promise<void>;
  /** Lets it end in order, if it is still there. */
  end(): Promise<void>;
}

/** How the process is started beside its order. */
export interface CrashWorkerEnvironment {
  /** Variables beside those of this process. */
  readonly env: Readonly<Record<string, string>>;
  /** Arguments of Node itself. */
  readonly execArgv: readonly string[];
}

/** Sources run as they are (`.ts`), the package runs what was built of them (`.js`). */
const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
const program = fileURLToPath(new URL(`./crash-worker${extension}`, import.meta.url));

/** Enough of what a process said last to see why it ended. */
const keptCharacters = 4_000;

/** Starts one. It dies with this process, for its input closes then. */
export function startCrashWorker(
  order: CrashWorkerOrder,
  { env, execArgv }: CrashWorkerEnvironment,
): CrashWorkerProcess {
  const child = spawn(process.execPath, [...execArgv, program], {
    stdio: ['pipe', 'ignore', 'pipe'],
    env: { ...process.env, ...env },
  });
  let said = '';
  child.stderr.on('data', (piece: Buffer) => {
    said = `${said}${piece.toString()}`.slice(-keptCharacters);
  });
  // Writing to a process that has just been killed.
  child.stdin.on('error', () => undefined);
  child.stdin.write(`${JSON.stringify(order)}\n`);
  let asked = false;
  const closed = once(child, 'close');
  const killed = closed.then(() => {
    if (asked || child.signalCode === 'SIGKILL') return;
    throw new Error(`Worker ${order.worker} ended by itself: ${said.trim()}`);
  });
  killed.catch(() => undefined);
  return {
    killed,
    async end() {
      asked = true;
      child.stdin.end();
      await closed;
    },
  };
}
