/** A Worker in this process on a task queue of its own, on the test server; every run it has made is replayed when it stops. */
import type { Client } from '@temporalio/client';
import { expect, inject } from 'vitest';
import { ModelContexts } from '../../src/activities/model-contexts.ts';
import type { AgentDefinition } from '../../src/agents/define-agent.ts';
import { Everloop } from '../../src/client/everloop.ts';
import { readHistory } from '../../src/client/read-history.ts';
import { connectClient } from '../../src/engine/connect.ts';
import { connectWorker } from '../../src/engine/connect-worker.ts';
import { installRuntime } from '../../src/engine/runtime.ts';
import type { RecordedHistory } from '../../src/history/recorded-event.ts';
import type { Providers } from '../../src/models/model-registry.ts';
import type { ModelPrices } from '../../src/models/prices.ts';
import type { BlobStore } from '../../src/storage/blob-store.ts';
import { createMemoryBlobStore } from '../../src/storage/memory-blob-store.ts';
import { assertReplays } from '../../src/testing/assert-replays.ts';
import { createWorker } from '../../src/worker.ts';

installRuntime('ERROR');

export interface HarnessOptions {
  readonly agents: Readonly<Record<string, AgentDefinition>>;
  readonly providers?: Providers;
  readonly prices?: ModelPrices;
  /** In memory when absent. */
  readonly blobs?: BlobStore;
  /** One of its own when absent. */
  readonly taskQueue?: string;
}

export interface Harness {
  readonly client: Client;
  readonly everloop: Everloop;
  readonly taskQueue: string;
  readonly contexts: ModelContexts;
  readonly blobs: BlobStore;
  history(runId: string): Promise<RecordedHistory>;
  /** Stops the Worker, then proves every run of its queue deterministic against history. */
  stop(): Promise<void>;
}

export async function startHarness(options: HarnessOptions): Promise<Harness> {
  const { agents, providers = {} } = options;
  const address = inject('temporalAddress');
  const { taskQueue = `test-${crypto.randomUUID()}` } = options;
  const { client, connection } = await connectClient({ address, namespace: 'default' });
  const native = await connectWorker({ address });
  const contexts = new ModelContexts();
  const blobs = options.blobs ?? createMemoryBlobStore();
  const worker = await createWorker({
    connection: native,
    namespace: 'default',
    taskQueue,
    profile: 'embedded',
    agents,
    providers,
    ...(options.prices !== undefined && { prices: options.prices }),
    contexts,
    blobs,
    worker: { shutdownGraceTime: '1 second', workflowBundle: sharedBundle() },
  });
  const running = worker.run();
  return {
    client,
    everloop: Everloop.from(client, { taskQueue, blobs }),
    taskQueue,
    contexts,
    blobs,
    history: (runId) => recordedHistory(client, runId),
    async stop() {
      worker.shutdown();
      await running;
      await native.close();
      await expectReplays(client, taskQueue);
      await connection.close();
    },
  };
}

async function recordedHistory(client: Client, runId: string): Promise<RecordedHistory> {
  return { runId, events: await Array.fromAsync(readHistory(client, { runId })) };
}

/** Every run of the queue replays to the LoopState that its history tells. */
async function expectReplays(client: Client, taskQueue: string): Promise<void> {
  const runs = client.workflow.list({ query: `TaskQueue = '${taskQueue}'` });
  let count = 0;
  const ids = new Set((await Array.fromAsync(runs)).map(({ workflowId }) => workflowId));
  for (const id of ids) {
    await assertReplays(client, id, { bundle: sharedBundle() });
    count += 1;
  }
  expect(count, `runs replayed of ${taskQueue}`).toBeGreaterThan(0);
}

/** The Workflow code that the test run has bundled. */
export function sharedBundle(): { readonly codePath: string } {
  return { codePath: inject('workflowBundlePath') };
}
