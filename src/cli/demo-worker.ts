/** The demo's Worker process: told on its first line of input what to do, gone when its input ends or the process is killed. */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { projectDirectory } from '../engine/project-directory.ts';
import type { Providers } from '../models/model-registry.ts';
import { createFileBlobStore } from '../storage/file-blob-store.ts';
import type { DemoAgentOptions } from './demo-agent.ts';
import { demoAgent } from './demo-agent.ts';
import { startLocalWorker } from './local-worker.ts';

/** The line that the process is told what to do with. */
export interface DemoWorkerOrder extends DemoAgentOptions {
  readonly address: string;
  readonly taskQueue: string;
  /** The provider of the model, and how it is reached. */
  readonly provider: keyof Providers;
  readonly apiKey: string;
  readonly baseURL: string;
  /** File with the bundled Workflow code. */
  readonly workflowBundle: string;
  /** Folder of the blob store. */
  readonly blobs: string;
}

// Ctrl-C in a terminal reaches this process, too; the demo decides when it ends.
process.on('SIGINT', () => {});

const input = createInterface({ input: process.stdin });
const ended = once(input, 'close');
const [line] = (await once(input, 'line')) as [string];
const order = JSON.parse(line) as DemoWorkerOrder;
const { address, taskQueue, apiKey, baseURL } = order;
const worker = await startLocalWorker(
  {
    env: {},
    directory: order.root,
    stdin: process.stdin,
    stdout: new PassThrough(),
    stderr: process.stderr,
    interrupted: new AbortController().signal,
  },
  {
    agents: new Map([['demo', demoAgent(order)]]),
    taskQueue,
    namespace: 'default',
    providers: { [order.provider]: { apiKey, baseURL } },
    project: projectDirectory(order.root),
    blobs: createFileBlobStore(order.blobs),
  },
  {
    address: { address },
    profile: 'embedded',
    graceMs: 1_000,
    bundle: { codePath: order.workflowBundle },
  },
);
await Promise.race([ended, worker.failed]);
await worker.stop();
process.exit(0);
