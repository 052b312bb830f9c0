/** Everloop in a Temporal Worker: its Activities, its Workflow, its sinks, and the settings that its runs want. */
import { Context } from '@temporalio/activity';
import type {
  BundleOptions,
  BundlerPlugin,
  ReplayWorkerOptions,
  WorkerOptions,
  WorkerPlugin,
} from '@temporalio/worker';
import { createActivities } from './activities/create-activities.ts';
import { ModelContexts } from './activities/model-contexts.ts';
import { createReadResult } from './activities/read-result.ts';
import { transcriptSinks } from './activities/transcript-sinks.ts';
import { addAgentRun } from './add-agent-run.ts';
import type { AgentDefinition } from './agents/define-agent.ts';
import { bundledWorkflows } from './bundled-workflows.ts';
import { readHistory } from './client/read-history.ts';
import type { ConfigDefinition } from './config.ts';
import { readEnvironment } from './config-environment.ts';
import { projectDirectory } from './engine/project-directory.ts';
import type { EngineProfile } from './engine/worker-settings.ts';
import { heartbeatSettings, workerSettings } from './engine/worker-settings.ts';
import { workflowBundle } from './engine/workflow-bundle.ts';
import type { ConfigurationProblem } from './everloop-error.ts';
import { ConfigurationError } from './everloop-error.ts';
import type { Providers } from './models/model-registry.ts';
import type { ModelPrices } from './models/prices.ts';
import type { BlobStore } from './storage/blob-store.ts';
import type { EventBus } from './storage/event-bus.ts';
import { createLocalEventBus } from './storage/event-bus.ts';
import { createFileBlobStore } from './storage/file-blob-store.ts';
import { withPayloadStorage } from './storage/payload-storage.ts';
import { composeAgents } from './worker-agents.ts';

/** What the agents of a Worker are, and what they work with. */
export interface EverloopPluginOptions {
  /** The agents by name; those of `config` when absent. */
  readonly agents?: Readonly<Record<string, AgentDefinition>>;
  /** What `everloop.config.ts` exports. Task queue and namespace are those of the Worker, whatever it says. */
  readonly config?: Pick<ConfigDefinition, 'agents' | 'blobs' | 'prices'>;
  /** What models cost, where no provider publishes it or it is otherwise; the configuration's when absent. */
  readonly prices?: ModelPrices;
  /** Keys of the providers that the agents' models need; from their usual environment variables when absent. */
  readonly providers?: Providers;
  /** Where transcripts of long runs, large results and images are kept; the configuration's, else `.everloop/blobs` in the current folder. Workers and clients of a run must share it. */
  readonly blobs?: BlobStore;
  /** Where deltas go; nowhere beyond this process when absent. */
  readonly bus?: EventBus;
  /** `cluster` when absent: right for every server but the one of `everloop dev`. */
  readonly profile?: EngineProfile;
  /** The cache of transcripts; one of its own when absent. */
  readonly contexts?: ModelContexts;
}

const pluginName = 'everloop';
const workflowName = 'everloopAgentRun';

/**
 * Lets a Worker run agents beside whatever else it does: `Worker.create({ plugins: [new EverloopPlugin({ agents })], … })`.
 *
 * - Workflow code: with `workflowsPath` the agent run is bundled with the Workflows there. A `workflowBundle`
 *   must hold it already: give `bundleWorkflowCode` the plugin too, or write
 *   `export { everloopAgentRun } from 'everloop/workflow'` into its file. With neither, the Worker runs agents only.
 * - Activities, sinks and interceptors of the Worker stay; Everloop's are added.
 * - Settings that the Worker's options leave open are chosen as for Everloop's own Workers.
 */
export class EverloopPlugin implements WorkerPlugin, BundlerPlugin {
  readonly name = pluginName;
  readonly #profile: EngineProfile;
  readonly #activities: Readonly<Record<string, unknown>>;
  readonly #contexts: ModelContexts;
  readonly #blobs: BlobStore;

  /** @throws ConfigurationError when there are no agents or two sets of them, or they cannot be served as they are */
  constructor(options: EverloopPluginOptions) {
    const { config, bus = createLocalEventBus(), profile = 'cluster' } = options;
    const contexts = options.contexts ?? new ModelContexts();
    const agents = composeAgents(agentsOf(options), options.providers ?? providersOfEnvironment());
    const blobs =
      options.blobs ?? config?.blobs ?? createFileBlobStore(projectDirectory(process.cwd()).blobs);
    const { intervalMs, timeoutMs } = heartbeatSettings(profile);
    const prices = options.prices ?? config?.prices;
    const read = { readHistory: historyOfWorker };
    this.#profile = profile;
    this.#contexts = contexts;
    this.#blobs = blobs;
    this.#activities = {
      ...createActivities({
        ...read,
        agents: agents.definitions,
        contexts,
        bus,
        blobs,
        modelNamed: agents.modelNamed,
        toolNamed: agents.toolNamed,
        readerOf: agents.readerOf,
        heartbeatIntervalMs: intervalMs,
        heartbeatTimeoutMs: timeoutMs,
        ...(prices !== undefined && { prices }),
      }),
      everloopReadResult: createReadResult(read),
    };
  }

  /**
   * Called by `Worker.create`.
   * @throws ConfigurationError when the Worker has two such plugins, an Activity or a sink under a name of Everloop's, or a bundle without the agent run
   */
  async configureWorker(options: WorkerOptions): Promise<WorkerOptions> {
    const sinks = transcriptSinks(this.#contexts);
    const problems = [
      ...doubled(options.plugins ?? []),
      ...clashes('activities', options.activities, this.#activities),
      ...clashes('sinks', options.sinks, sinks),
      ...(await missingWorkflow(options)),
    ];
    if (problems.length > 0) {
      throw new ConfigurationError('EverloopPlugin cannot be used in this Worker.', problems);
    }
    return {
      ...workerSettings(this.#profile),
      ...withoutUndefined(options),
      ...(await codeOf(options)),
      dataConverter: withPayloadStorage(options.dataConverter, this.#blobs),
      activities: { ...options.activities, ...this.#activities },
      sinks: { ...options.sinks, ...sinks },
    };
  }

  /** Called by `Worker.runReplayHistory`: what a run tells its Worker goes nowhere. */
  async configureReplayWorker(options: ReplayWorkerOptions): Promise<ReplayWorkerOptions> {
    const sinks = transcriptSinks(new ModelContexts());
    return {
      ...options,
      ...(await codeOf(options)),
      dataConverter: withPayloadStorage(options.dataConverter, this.#blobs),
      sinks: { ...sinks, ...options.sinks },
    };
  }

  /** Called when Workflow code is bundled, by a Worker or by `bundleWorkflowCode`. */
  configureBundler(options: BundleOptions): BundleOptions {
    return addAgentRun(options);
  }
}

function agentsOf({
  agents,
  config,
}: EverloopPluginOptions): Readonly<Record<string, AgentDefinition>> {
  const given = agents ?? config?.agents;
  if (given !== undefined && (agents === undefined || config === undefined)) return given;
  const what = given === undefined ? 'one of the two must be given' : 'only one may be given';
  throw new ConfigurationError('EverloopPlugin does not know its agents.', [
    { where: 'agents, config', what },
  ]);
}

function providersOfEnvironment(): Providers {
  const { providers, problems } = readEnvironment(process.env);
  if (problems.length === 0) return providers;
  throw new ConfigurationError('The environment is not valid.', problems);
}

/** Through the Worker's own connection, which is not there yet when the Activities are made. */
function historyOfWorker(run: { readonly runId: string; readonly temporalRunId?: string }) {
  return readHistory(Context.current().client, run);
}

function doubled(plugins: readonly WorkerPlugin[]): ConfigurationProblem[] {
  if (plugins.filter(({ name }) => name === pluginName).length < 2) return [];
  return [{ where: 'plugins', what: 'there are two of it: put all agents into one' }];
}

function clashes(
  where: string,
  theirs: object | undefined,
  ours: Readonly<Record<string, unknown>>,
): ConfigurationProblem[] {
  return Object.keys(theirs ?? {})
    .filter((name) => name in ours)
    .map((name) => ({ where: `${where}.${name}`, what: 'Everloop needs this name' }));
}

async function missingWorkflow({ workflowBundle }: WorkerOptions): Promise<ConfigurationProblem[]> {
  if (workflowBundle === undefined) return [];
  const names = await bundledWorkflows(workflowBundle);
  if (names === undefined || names.includes(workflowName)) return [];
  const what = `it has no ${workflowName}: give bundleWorkflowCode the plugin too, or export ${workflowName} from 'everloop/workflow' in the file of Workflows`;
  return [{ where: 'workflowBundle', what }];
}

/** A Worker without Workflows of its own gets the agent run alone, bundled already where the package is. */
async function codeOf(options: WorkerOptions | ReplayWorkerOptions) {
  const { workflowsPath, workflowBundle: given } = options;
  if (workflowsPath !== undefined || given !== undefined) return {};
  return { workflowBundle: await workflowBundle() };
}

function withoutUndefined(options: WorkerOptions): WorkerOptions {
  const set = Object.entries(options).filter(([, value]) => value !== undefined);
  return { taskQueue: options.taskQueue, ...Object.fromEntries(set) };
}
