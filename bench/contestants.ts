/** The two sides of each comparison: the floor and Everloop, each with a Worker of its own in this process. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client } from '@temporalio/client';
import type { NativeConnection, WorkflowBundleOption } from '@temporalio/worker';
import { bundleWorkflowCode, Worker } from '@temporalio/worker';
import { defineAgent } from '../src/agents/define-agent.ts';
import { Everloop } from '../src/client/everloop.ts';
import { connectClient } from '../src/engine/connect.ts';
import { connectWorker } from '../src/engine/connect-worker.ts';
import { heartbeatSettings, workerSettings } from '../src/engine/worker-settings.ts';
import { createFileBlobStore } from '../src/storage/file-blob-store.ts';
import { createWorker } from '../src/worker.ts';
import { createFloorActivities } from './floor/activities.ts';
import type { Workload } from './workload.ts';

/** A run that was started. */
interface StartedRun {
  readonly id: string;
  /** Resolves when the run has used up its iterations; rejects when it ended in another way. */
  ended(): Promise<void>;
}

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
  stop(): Promise<void>;
}

const namespace = 'default';

/** Equally long, for a history holds the name four times an iteration. */
const taskQueues = { floor: 'queue-1', everloop: 'queue-2' } as const;

/** Connects to the server and starts both Workers, with equal settings. */
export async function startContestants(address: string, workload: Workload): Promise<Contestants> {
  const { client, connection } = await connectClient({ address, namespace });
  const native = await connectWorker({ address });
  const floor = await startFloor(client, native, workload);
  const blobs = await mkdtemp(join(tmpdir(), 'everloop-bench-blobs-'));
  const everloop = await startEverloop(client, native, workload, blobs);
  return {
    client,
    floor,
    everloop,
    async stop() {
      await floor.stop();
      await everloop.stop();
      await native.close();
      await connection.close();
      await rm(blobs, { recursive: true, force: true });
    },
  };
}

async function startFloor(
  client: Client,
  connection: NativeConnection,
  { model, tool, instructions, input }: Workload,
): Promise<Contestant> {
  const taskQueue = taskQueues.floor;
  const { intervalMs: heartbeatIntervalMs } = heartbeatSettings('embedded');
  const worker = await Worker.create({
    ...workerSettings('embedded'),
    connection,
    namespace,
    taskQueue,
    workflowBundle: await floorBundle(),
    activities: createFloorActivities({ model, tool, instructions, heartbeatIntervalMs }),
  });
  const stop = running(worker);
  return {
    async start(iterations) {
      const id = crypto.randomUUID();
      const handle = await client.workflow.start('floorAgentRun', {
        workflowId: id,
        taskQueue,
        args: [input, iterations],
      });
      return { id, ended: async () => expectFull(await handle.result()) };
    },
    stop,
  };
}

async function startEverloop(
  client: Client,
  connection: NativeConnection,
  { model, tool, instructions, input }: Workload,
  blobs: string,
): Promise<Contestant> {
  const taskQueue = taskQueues.everloop;
  const agent = defineAgent({ model, instructions, tools: [tool], offload: false });
  const worker = await createWorker({
    connection,
    namespace,
    taskQueue,
    profile: 'embedded',
    agents: { bench: agent },
    blobs: createFileBlobStore(blobs),
  });
  const stop = running(worker);
  const everloop = Everloop.from(client, { taskQueue });
  return {
    async start(maxIterations) {
      const run = await everloop.start('bench', { input, maxIterations });
      return { id: run.id, ended: async () => expectFull((await run.result()).stopReason) };
    },
    stop,
  };
}

function expectFull(stopReason: unknown): void {
  if (stopReason !== 'max_iterations') throw new Error(`a run stopped with ${stopReason}`);
}

/** Lets the Worker run; the answer shuts it down. */
function running(worker: Worker): () => Promise<void> {
  const run = worker.run();
  return async () => {
    worker.shutdown();
    await run;
  };
}

let bundle: Promise<WorkflowBundleOption> | undefined;

/** The floor's Workflow, bundled once per process as Everloop's is. */
export function floorBundle(): Promise<WorkflowBundleOption> {
  const workflowsPath = fileURLToPath(new URL('./floor/workflow.ts', import.meta.url));
  bundle ??= bundleWorkflowCode({ workflowsPath, logger: silent });
  return bundle;
}

const silent = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };
