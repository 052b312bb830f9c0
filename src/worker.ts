/** The composition root of a Worker: configuration in, a Worker that runs agents out. */
import { Client } from '@temporalio/client';
import type { NativeConnection, WorkerOptions } from '@temporalio/worker';
import { Worker } from '@temporalio/worker';
import { createActivities } from './activities/create-activities.ts';
import { ModelContexts } from './activities/model-contexts.ts';
import { transcriptSinks } from './activities/transcript-sinks.ts';
import type { AgentDefinition } from './agents/define-agent.ts';
import { modelsOf } from './agents/define-agent.ts';
import type { LanguageModel } from './chat/language-model.ts';
import { defaultTaskQueue } from './client/everloop.ts';
import { readHistory } from './client/read-history.ts';
import { projectDirectory } from './engine/project-directory.ts';
import type { EngineProfile } from './engine/worker-settings.ts';
import { heartbeatSettings, workerSettings } from './engine/worker-settings.ts';
import { workflowBundle } from './engine/workflow-bundle.ts';
import type { ConfigurationProblem } from './everloop-error.ts';
import { ConfigurationError } from './everloop-error.ts';
import type { Providers } from './models/model-registry.ts';
import { createModelRegistry } from './models/model-registry.ts';
import type { BlobStore } from './storage/blob-store.ts';
import type { EventBus } from './storage/event-bus.ts';
import { createLocalEventBus } from './storage/event-bus.ts';
import { createFileBlobStore } from './storage/file-blob-store.ts';

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

/** Makes a Worker; `worker.run()` starts it. */
export async function createWorker(options: EverloopWorkerOptions): Promise<Worker> {
  const { connection, namespace = 'default', taskQueue = defaultTaskQueue } = options;
  const { profile = 'cluster', providers = {} } = options;
  const agents = new Map(Object.entries(options.agents));
  const dataConverter = options.worker?.dataConverter;
  const client = new Client({
    connection,
    namespace,
    ...(dataConverter !== undefined && { dataConverter }),
  });
  const contexts = options.contexts ?? new ModelContexts();
  const heartbeat = heartbeatSettings(profile);
  const models = createModelRegistry(providers, ownModels(agents));
  return await Worker.create({
    ...workerSettings(profile),
    ...options.worker,
    connection,
    namespace,
    taskQueue,
    workflowBundle: options.worker?.workflowBundle ?? (await workflowBundle()),
    sinks: transcriptSinks(contexts),
    activities: createActivities({
      agents,
      contexts,
      bus: options.bus ?? createLocalEventBus(),
      blobs: options.blobs ?? createFileBlobStore(projectDirectory(process.cwd()).blobs),
      modelNamed: models.named,
      toolNamed: (agent, name) => agents.get(agent)?.tools?.find((tool) => tool.name === name),
      readHistory: (run) => readHistory(client, run),
      heartbeatIntervalMs: heartbeat.intervalMs,
      heartbeatTimeoutMs: heartbeat.timeoutMs,
    }),
  });
}

function* named(agents: ReadonlyMap<string, AgentDefinition>) {
  for (const [name, agent] of agents) {
    for (const model of modelsOf(agent)) yield [name, model] as const;
  }
}

/**
 * Models that agents bring as objects. Runs record a model by name, so a name means one model.
 * @throws ConfigurationError when two different models have the same name
 */
function ownModels(agents: ReadonlyMap<string, AgentDefinition>): readonly LanguageModel[] {
  const models = new Map<string, LanguageModel>();
  const problems: ConfigurationProblem[] = [];
  for (const [name, model] of named(agents)) {
    if (typeof model === 'string') continue;
    const known = models.get(model.name);
    if (known !== undefined && known !== model) {
      problems.push({
        where: `agents.${name}.model`,
        what: `another model is named ${JSON.stringify(model.name)} too`,
      });
    }
    models.set(model.name, model);
  }
  if (problems.length > 0) {
    throw new ConfigurationError('The agents cannot be served together.', problems, {
      hint: 'give each model a name of its own',
    });
  }
  return [...models.values()];
}
