/** Both sides on one server, each with a Worker of its own in this process. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import type { Worker } from '@temporalio/worker';
import { connectClient } from '../src/engine/connect.ts';
import { connectWorker } from '../src/engine/connect-worker.ts';
import type { BlobStore } from '../src/storage/blob-store.ts';
import { createFileBlobStore } from '../src/storage/file-blob-store.ts';
import { folderBytes } from './folder-bytes.ts';
import type { SideName, StartedRun, WorkerPlace } from './sides.ts';
import { namespace, sides } from './sides.ts';
import type { Workload } from './workload.ts';

/** One side. */
export interface Contestant {
  start(iterations: number): Promise<StartedRun>;
  stop(): Promise<void>;
}

/** Both sides on one server. */
export interface Contestants {
  readonly client: Client;
  readonly floor: Contestant;
  readonly everloop: Contestant;
  /** Everloop's blob store. */
  readonly blobs: BlobStore;
  /** Bytes in it. */
  blobBytes(): Promise<number>;
  stop(): Promise<void>;
}

/** Equally long, for a history holds the name four times an iteration. */
const taskQueues: Readonly<Record<SideName, string>> = { floor: 'queue-1', everloop: 'queue-2' };

/** Connects to the server and starts both Workers, with equal settings. */
export async function startContestants(address: string, workload: Workload): Promise<Contestants> {
  const { client, connection } = await connectClient({ address, namespace });
  const native = await connectWorker({ address });
  const blobs = await mkdtemp(join(tmpdir(), 'everloop-bench-blobs-'));
  const place = { connection: native, blobs };
  const floor = await startSide('floor', client, place, workload);
  const everloop = await startSide('everloop', client, place, workload);
  return {
    client,
    floor,
    everloop,
    blobs: createFileBlobStore(blobs),
    blobBytes: () => folderBytes(blobs),
    async stop() {
      await floor.stop();
      await everloop.stop();
      await native.close();
      await connection.close();
      await rm(blobs, { recursive: true, force: true });
    },
  };
}

async function startSide(
  name: SideName,
  client: Client,
  place: Omit<WorkerPlace, 'taskQueue'>,
  workload: Workload,
): Promise<Contestant> {
  const taskQueue = taskQueues[name];
  const side = sides[name];
  const stop = running(await side.createWorker({ ...place, taskQueue }, workload));
  return {
    start: (iterations) => side.start(client, taskQueue, workload, iterations),
    stop,
  };
}

/** Lets the Worker run; the answer shuts it down. */
function running(worker: Worker): () => Promise<void> {
  const run = worker.run();
  return async () => {
    worker.shutdown();
    await run;
  };
}
