/** The composition root of a Worker: configuration in, a Worker that runs agents out. */
import { Client } from '@temporalio/client';
import type { NativeConnection, WorkerOptions } from '@temporalio/worker';
import { Worker } from '@temporalio/worker';
import { createActivities } from './activities/create-activities.ts';
import { ModelContexts } from './activities/model-contexts.ts';
import { transcriptSinks } from './activities/transcript-sinks.ts';
import type { AgentDefinition } from './agents/define-agent.ts';
import { defaultTaskQueue } from './client/everloop.ts';
import { readHistory } from './client/read-history.ts';
import { projectDirectory } from './engine/project-directory.ts';
import type { EngineProfile } from './engine/worker-settings.ts';
import { heartbeatSettings, workerSettings } from './engine/worker-settings.ts';
import { workflowBundle } from './engine/workflow-bundle.ts';
import type { Providers } from './models/model-registry.ts';
import type { BlobStore } from './storage/blob-store.ts';
import type { EventBus } from './storage/event-bus.ts';
import { createLocalEventBus } from './storage/event-bus.ts';
import { createFileBlobStore } from './storage/file-blob-store.ts';
import { composeAgents } from './worker-agents.ts';

/** What a Worker is made of. */
export interface EverloopWorkerOptions {
  readonly connection: NativeConnection;
  /** The agents by name, as in a configuration. */
  readonly agents: Readonly<Record<string, AgentDefinition>>;
  /** Keys of the providers that the agents' models need. */
  readonly providers?: Providers;
  /** Namespace of the runs; `default` when absent. */
  readonly namespace?: string;
  /** Task queue of the runs; `everloop` when absent. */
  readonly taskQueue?: string;
  /** `cluster` when absent. */
  readonly profile?: EngineProfile;
  /** Where deltas go; nowhere beyond this process when absent. */
  readonly bus?: EventBus;
  /** Where transcripts of long runs, large results and images are kept; `.everloop/blobs` in the current folder when absent. Workers and clients of a run must share it. */
  readonly blobs?: BlobStore;
  readonly contexts?: ModelContexts;
  /** Temporal's own Worker options, where they shall differ from Everloop's choice. */
  readonly worker?: Partial<
    Omit<WorkerOptions, 'connection' | 'namespace' | 'taskQueue' | 'sinks' | 'activities'>
  >;
}

/**
 * Makes a Worker; `worker.run()` starts it.
 * @throws ConfigurationError when the agents cannot be served as they are, before anything is asked of the server
 */
export async function createWorker(options: EverloopWorkerOptions): Promise<Worker> {
  const { connection, namespace = 'default', taskQueue = defaultTaskQueue } = options;
  const { profile = 'cluster', providers = {} } = options;
  const agents = composeAgents(options.agents, providers);
  const dataConverter = options.worker?.dataConverter;
  const client = new Client({
    connection,
    namespace,
    ...(dataConverter !== undefined && { dataConverter }),
  });
  const contexts = options.contexts ?? new ModelContexts();
  const heartbeat = heartbeatSettings(profile);
  return await Worker.create({
    ...workerSettings(profile),
    ...options.worker,
    connection,
    namespace,
    taskQueue,
    workflowBundle: options.worker?.workflowBundle ?? (await workflowBundle()),
    sinks: transcriptSinks(contexts),
    activities: createActivities({
      agents: agents.definitions,
      contexts,
      bus: options.bus ?? createLocalEventBus(),
      blobs: options.blobs ?? createFileBlobStore(projectDirectory(process.cwd()).blobs),
      modelNamed: agents.modelNamed,
      toolNamed: agents.toolNamed,
      readerOf: agents.readerOf,
      readHistory: (run) => readHistory(client, run),
      heartbeatIntervalMs: heartbeat.intervalMs,
      heartbeatTimeoutMs: heartbeat.timeoutMs,
    }),
  });
}
