/** The two sides of each comparison: how each makes a Worker and starts a run. */
import { fileURLToPath } from 'node:url';
import type { Client } from '@temporalio/client';
import type { NativeConnection, WorkflowBundleOption } from '@temporalio/worker';
import { bundleWorkflowCode, Worker } from '@temporalio/worker';
import type { ModelContexts } from '../src/activities/model-contexts.ts';
import { defineAgent } from '../src/agents/define-agent.ts';
import { Everloop } from '../src/client/everloop.ts';
import { heartbeatSettings, workerSettings } from '../src/engine/worker-settings.ts';
import { createFileBlobStore } from '../src/storage/file-blob-store.ts';
import { createWorker } from '../src/worker.ts';
import { createFloorActivities } from './floor/activities.ts';
import type { Workload } from './workload.ts';

/** A run that was started. */
export interface StartedRun {
  readonly id: string;
  /** Resolves when the run has used up its iterations; rejects when it ended in another way. */
  ended(): Promise<void>;
}

/** Where a Worker works. */
export interface WorkerPlace {
  readonly connection: NativeConnection;
  readonly taskQueue: string;
  /** Folder of the blob store; the floor has none. */
  readonly blobs: string;
  /** Everloop's cache of transcripts; the Worker's own when absent. */
  readonly contexts?: ModelContexts;
}

/** One side. Both have equal settings. */
export interface Side {
  createWorker(place: WorkerPlace, workload: Workload): Promise<Worker>;
  start(
    client: Client,
    taskQueue: string,
    workload: Workload,
    iterations: number,
  ): Promise<StartedRun>;
}

export type SideName = 'floor' | 'everloop';

export const namespace = 'default';

const floor: Side = {
  async createWorker({ connection, taskQueue }, { model, tool, instructions }) {
    const { intervalMs: heartbeatIntervalMs } = heartbeatSettings('embedded');
    return await Worker.create({
      ...workerSettings('embedded'),
      connection,
      namespace,
      taskQueue,
      workflowBundle: await floorBundle(),
      activities: createFloorActivities({ model, tool, instructions, heartbeatIntervalMs }),
    });
  },
  async start(client, taskQueue, { input }, iterations) {
    const id = crypto.randomUUID();
    const handle = await client.workflow.start('floorAgentRun', {
      workflowId: id,
      taskQueue,
      args: [input, iterations],
    });
    return { id, ended: async () => expectFull(await handle.result()) };
  },
};

const everloop: Side = {
  async createWorker({ connection, taskQueue, blobs, contexts }, { model, tool, instructions }) {
    return await createWorker({
      connection,
      namespace,
      taskQueue,
      profile: 'embedded',
      agents: { bench: defineAgent({ model, instructions, tools: [tool] }) },
      blobs: createFileBlobStore(blobs),
      ...(contexts !== undefined && { contexts }),
    });
  },
  async start(client, taskQueue, { input }, maxIterations) {
    const run = await Everloop.from(client, { taskQueue }).start('bench', { input, maxIterations });
    return { id: run.id, ended: async () => expectFull((await run.result()).stopReason) };
  },
};

export const sides: Readonly<Record<SideName, Side>> = { floor, everloop };

function expectFull(stopReason: unknown): void {
  if (stopReason !== 'max_iterations') throw new Error(`a run stopped with ${stopReason}`);
}

let bundle: Promise<WorkflowBundleOption> | undefined;

/** The floor's Workflow, bundled once per process as Everloop's is. */
export function floorBundle(): Promise<WorkflowBundleOption> {
  const workflowsPath = fileURLToPath(new URL('./floor/workflow.ts', import.meta.url));
  bundle ??= bundleWorkflowCode({ workflowsPath, logger: silent });
  return bundle;
}

const silent = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };
