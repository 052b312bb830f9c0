/** Everything that a test of agents needs, in this process: engine, Worker and client. */
import type { Client } from '@temporalio/client';
import type { AgentDefinition } from '../agents/define-agent.ts';
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import type { StartOptions } from '../client/everloop.ts';
import { Everloop } from '../client/everloop.ts';
import type { RunHandle } from '../client/run-handle.ts';
import { connectClient } from '../engine/connect.ts';
import { connectWorker } from '../engine/connect-worker.ts';
import type { RunResult } from '../loop/run-result.ts';
import type { Providers } from '../models/model-registry.ts';
import type { ModelPrices } from '../models/prices.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import type { EventBus } from '../storage/event-bus.ts';
import { createMemoryBlobStore } from '../storage/memory-blob-store.ts';
import { withPayloadStorage } from '../storage/payload-storage.ts';
import type { EverloopWorkerOptions } from '../worker.ts';
import { createWorker } from '../worker.ts';
import { assertReplays } from './assert-replays.ts';
import { Opened } from './opened.ts';
import type { TestEngine } from './test-engine.ts';
import { startTestEngine } from './test-engine.ts';
import { installTestRuntime } from './test-runtime.ts';

type Agents = Readonly<Record<string, AgentDefinition>>;

/** What a harness runs. */
export interface TestHarnessOptions<Own extends Agents = Agents> {
  readonly agents: Own;
  /** None when absent, whatever the environment holds: no test asks a real provider by accident. */
  readonly providers?: Providers;
  /** What models cost: a budget in dollars wants a price of each. */
  readonly prices?: ModelPrices;
  /** In memory when absent. */
  readonly blobs?: BlobStore;
  readonly bus?: EventBus;
  /** An engine that tests share; one of its own, which stops with the harness, when absent. */
  readonly engine?: Pick<TestEngine, 'address'>;
  /** Temporal's own Worker options: a file of own Workflows, own Activities, interceptors. */
  readonly worker?: EverloopWorkerOptions['worker'];
}

/** A run that has ended. */
export interface FinishedRun {
  readonly run: RunHandle;
  readonly result: RunResult;
  /** The whole transcript. */
  readonly messages: readonly TranscriptMessage[];
}

/** A running engine, a Worker on a task queue of its own, and a client. */
export interface TestHarness<Own extends Agents = Agents> {
  readonly everloop: Everloop<{ agents: Own }>;
  /** Temporal's own client, for Workflows of one's own. */
  readonly client: Client;
  readonly address: string;
  readonly taskQueue: string;
  readonly blobs: BlobStore;
  /** Runs an agent to its end, whatever its stop reason. */
  run(agent: keyof Own & string, input: StartOptions['input'] | StartOptions): Promise<FinishedRun>;
  /**
   * Stops everything, and replays every run of the harness before: a run that does not do the same again would
   * be stuck after any restart of its Worker.
   * @throws AssertionError naming the run and the iteration in which code and history part
   */
  stop(): Promise<void>;
}

/**
 * Starts a harness. Scripted models and local provider servers need no key.
 * @throws ConfigurationError when the agents cannot be served, or there is no Temporal CLI; EverloopError `engine_failed`
 */
export async function startTestHarness<const Own extends Agents>(
  options: TestHarnessOptions<Own>,
): Promise<TestHarness<Own>> {
  installTestRuntime();
  const opened = new Opened();
  try {
    return await open(options, opened);
  } catch (error) {
    await opened.close();
    throw error;
  }
}

async function open<Own extends Agents>(
  options: TestHarnessOptions<Own>,
  opened: Opened,
): Promise<TestHarness<Own>> {
  const { agents, providers = {}, blobs = createMemoryBlobStore(), bus } = options;
  const address = options.engine?.address ?? (await ownEngine(opened));
  const taskQueue = `test-${crypto.randomUUID()}`;
  const { client, connection } = await connectClient({
    address,
    namespace: 'default',
    client: { dataConverter: withPayloadStorage(undefined, blobs) },
  });
  opened.defer(() => connection.close());
  const native = await connectWorker({ address });
  opened.defer(() => native.close());
  const worker = await createWorker({
    connection: native,
    taskQueue,
    profile: 'embedded',
    agents,
    providers,
    ...(options.prices !== undefined && { prices: options.prices }),
    blobs,
    ...(bus !== undefined && { bus }),
    // A test that stops has seen what it wanted to see.
    worker: { shutdownGraceTime: '1 second', ...options.worker },
  });
  const running = worker.run();
  // It is told by stop(), not as an unhandled rejection before.
  running.catch(() => undefined);
  const everloop = Everloop.from<{ agents: Own }>(client, { taskQueue, blobs });
  const started = new Set<string>();
  const replayAll = async () => {
    const query = `TaskQueue = '${taskQueue}' AND WorkflowType = 'everloopAgentRun'`;
    for await (const { workflowId } of client.workflow.list({ query })) started.add(workflowId);
    const bundle = options.worker?.workflowBundle;
    for (const id of started) await assertReplays(client, id, bundle && { bundle });
  };
  return {
    everloop,
    client,
    address,
    taskQueue,
    blobs,
    async run(agent, input) {
      const run = await everloop.start(agent, isStartOptions(input) ? input : { input });
      started.add(run.id);
      const result = await run.result();
      return { run, result, messages: await run.messages() };
    },
    async stop() {
      try {
        if (worker.getState() === 'RUNNING') worker.shutdown();
        await running;
        await replayAll();
      } finally {
        await opened.close();
      }
    },
  };
}

async function ownEngine(opened: Opened): Promise<string> {
  const engine = await startTestEngine();
  opened.defer(() => engine.stop());
  return engine.address;
}

function isStartOptions(input: StartOptions['input'] | StartOptions): input is StartOptions {
  return typeof input === 'object' && 'input' in input;
}
