/** From `everloop.config.ts` and the environment to one validated Config; the only reader of the environment's variables. */
import type { AgentDefinition } from './agents/define-agent.ts';
import { modelsOf } from './agents/define-agent.ts';
import { defaultTaskQueue } from './client/everloop.ts';
import { builtInAgents } from './config-built-in.ts';
import type { EngineSettings, Environment } from './config-environment.ts';
import { readEnvironment } from './config-environment.ts';
import { findConfigFile, importConfigFile } from './config-file.ts';
import { definitionProblems } from './config-schema.ts';
import type { ProjectDirectory } from './engine/project-directory.ts';
import { projectDirectory } from './engine/project-directory.ts';
import type { ConfigurationProblem } from './everloop-error.ts';
import { ConfigurationError } from './everloop-error.ts';
import type { Providers } from './models/model-registry.ts';
import { createModelRegistry } from './models/model-registry.ts';
import type { ModelPrices } from './models/prices.ts';
import type { BlobStore } from './storage/blob-store.ts';
import { createFileBlobStore } from './storage/file-blob-store.ts';

/** What `everloop.config.ts` exports. */
export interface ConfigDefinition<
  Agents extends Readonly<Record<string, AgentDefinition>> = Readonly<
    Record<string, AgentDefinition>
  >,
> {
  readonly agents: Agents;
  /** Task queue of the Workers and runs of this project; `everloop` unless said otherwise. */
  readonly taskQueue?: string;
  /** Temporal namespace; `TEMPORAL_NAMESPACE` wins, `default` when neither says. */
  readonly namespace?: string;
  /** Where transcripts of long runs, large results and images are kept; the folder `.everloop/blobs` unless said otherwise. All Workers and clients must use the same store. */
  readonly blobs?: BlobStore;
  /**
   * What models cost, in US dollars per million tokens, by the name that agents use. Goes before what providers
   * publish; needed for a budget in dollars with a model that none of them prices.
   */
  readonly prices?: ModelPrices;
}

/** Defines a project's configuration; the names of the agents stay known to the type checker. */
export function defineConfig<const Agents extends Readonly<Record<string, AgentDefinition>>>(
  definition: ConfigDefinition<Agents>,
): ConfigDefinition<Agents> {
  return definition;
}

/** A project's configuration, checked. */
export interface Config {
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  readonly taskQueue: string;
  readonly namespace: string;
  readonly providers: Providers;
  /** The Temporal server that the environment names; absent where the project's own engine is meant. */
  readonly engine?: EngineSettings;
  readonly project: ProjectDirectory;
  readonly blobs: BlobStore;
  readonly prices?: ModelPrices;
  /** The configuration file; absent where the built-in agents are used. */
  readonly file?: string;
}

/** Where to look. */
export interface LoadConfigOptions {
  /** The project's folder. */
  readonly directory: string;
  readonly env: Environment;
  /** A configuration file of another name or place, relative to `directory`. */
  readonly file?: string;
}

/**
 * Reads and checks the configuration. Keys of providers may be missing, see {@link missingKeys}.
 * @throws ConfigurationError with every problem of file and environment at once
 */
export async function loadConfig(options: LoadConfigOptions): Promise<Config> {
  const { directory, env } = options;
  const environment = readEnvironment(env);
  const problems: ConfigurationProblem[] = [...environment.problems];
  const file = await findConfigFile(directory, options.file);
  if (file === 'missing') {
    throw new ConfigurationError('the configuration file was not found', [
      { where: options.file ?? directory, what: 'there is no such file' },
      ...problems,
    ]);
  }
  const { model } = environment;
  const project = projectDirectory(directory);
  const definition: ConfigDefinition =
    file === undefined
      ? { agents: builtInAgents({ root: directory, model }) }
      : await readDefinition(file, problems);
  if (problems.length > 0) {
    throw new ConfigurationError('the configuration is not valid', problems, {
      hint: 'correct what is listed above, then try again',
    });
  }
  return {
    agents: new Map(Object.entries(definition.agents)),
    taskQueue: definition.taskQueue ?? defaultTaskQueue,
    namespace: environment.namespace ?? definition.namespace ?? 'default',
    providers: environment.providers,
    ...(environment.engine !== undefined && { engine: environment.engine }),
    project,
    blobs: definition.blobs ?? createFileBlobStore(project.blobs),
    ...(definition.prices !== undefined && { prices: definition.prices }),
    ...(file !== undefined && { file: file.path }),
  };
}

async function readDefinition(
  file: { readonly path: string; readonly name: string },
  problems: ConfigurationProblem[],
): Promise<ConfigDefinition> {
  const imported = await importConfigFile(file);
  if (imported.problem !== undefined) {
    problems.push(imported.problem);
    return { agents: {} };
  }
  const found = definitionProblems(file.name, imported.exported);
  problems.push(...found);
  return found.length === 0 ? (imported.exported as ConfigDefinition) : { agents: {} };
}

/** The agents whose provider has no key; asked by what starts a Worker. */
export function missingKeys(config: Config): readonly ConfigurationProblem[] {
  const models = createModelRegistry(config.providers);
  return [...config.agents].flatMap(([name, agent]) =>
    modelsOf(agent).flatMap((model) => {
      const problem = typeof model === 'string' ? models.problemOf(model) : undefined;
      const where = `${config.file === undefined ? 'built-in ' : ''}agents.${name}.model`;
      return problem === undefined ? [] : [{ where, what: `${problem.what}: ${problem.hint}` }];
    }),
  );
}
