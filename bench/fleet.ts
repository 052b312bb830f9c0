/** Several Workers of one side, each in a process of its own. */
import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Client } from '@temporalio/client';
import type { SideWorkerOrder } from './side-worker.ts';
import type { SideName } from './sides.ts';
import { sides } from './sides.ts';
import type { Workload } from './workload.ts';

/** Lookups of transcripts in the Workers' caches. */
export interface Lookups {
  readonly hits: number;
  readonly misses: number;
}

/** Running Workers of one side. */
export interface Fleet {
  /** Starts `runs` runs at once and waits for all of them; iterations per second. */
  throughput(runs: number, iterations: number): Promise<number>;
  /** Lookups so far, of all Workers; the floor makes none. */
  lookups(): Promise<Lookups>;
  stop(): Promise<void>;
}

const program = fileURLToPath(new URL('./side-worker.ts', import.meta.url));

export interface FleetOptions {
  readonly side: SideName;
  readonly workers: number;
  readonly client: Client;
  readonly address: string;
  readonly blobs: string;
  readonly workload: Workload;
}

/**
 * Starts the Workers. Everloop's share one task queue. Each of the floor's has one of its own, with its share of
 * the runs: the floor's transcripts stay in their process, and it has nothing to fetch them with.
 */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const { side, workers, client, address, blobs, workload } = options;
  const queues = side === 'floor' ? workers : 1;
  const queueOf = (index: number) => `${side}-${workers}-${index % queues}`;
  const processes = await Promise.all(
    Array.from({ length: workers }, (_, index) =>
      startProcess({ side, address, taskQueue: queueOf(index), blobs }),
    ),
  );
  return {
    async throughput(runs, iterations) {
      const began = performance.now();
      await Promise.all(
        Array.from({ length: runs }, async (_, index) => {
          const run = await sides[side].start(client, queueOf(index), workload, iterations);
          await run.ended();
        }),
      );
      return (runs * iterations * 1_000) / (performance.now() - began);
    },
    async lookups() {
      const counts = await Promise.all(processes.map(askCounts));
      return {
        hits: counts.reduce((sum, { hits }) => sum + hits, 0),
        misses: counts.reduce((sum, { misses }) => sum + misses, 0),
      };
    },
    async stop() {
      await Promise.all(processes.map(shutDown));
    },
  };
}

async function startProcess(order: SideWorkerOrder): Promise<ChildProcess> {
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const;
  const child = fork(program, [JSON.stringify(order)], { stdio: [...stdio] });
  const exited = once(child, 'exit').then(() => ['exited']);
  const [message] = await Promise.race([once(child, 'message'), exited]);
  if (message !== 'ready') throw new Error(`a Worker of ${order.side} ${String(message)}`);
  return child;
}

async function askCounts(child: ChildProcess): Promise<Lookups> {
  const answer = once(child, 'message');
  child.send('counts');
  const [counts] = await answer;
  return counts;
}

async function shutDown(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.send('shutdown');
  await exited;
}
