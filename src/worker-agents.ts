/** The agents as a Worker runs them: with the built-in tools, and every tool and model inside its wrappers. */
import { withReadResult } from './abilities/offload/with-read-result.ts';
import type { AgentDefinition } from './agents/define-agent.ts';
import { modelsOf, toolsOf } from './agents/define-agent.ts';
import { withDoubles } from './agents/sub-agents.ts';
import type { LanguageModel } from './chat/language-model.ts';
import { wrapLanguageModel } from './chat/language-model.ts';
import type { ConfigurationProblem } from './everloop-error.ts';
import { ConfigurationError } from './everloop-error.ts';
import type { ModelRegistry, Providers } from './models/model-registry.ts';
import { createModelRegistry } from './models/model-registry.ts';
import type { Tool } from './tools/define-tool.ts';
import { wrapTool } from './tools/wrap-tool.ts';

/** What a Worker knows of its agents. */
export interface WorkerAgents {
  /** The definitions, with the tools that are run. */
  readonly definitions: ReadonlyMap<string, AgentDefinition>;
  readonly toolNamed: (agent: string, name: string) => Tool | undefined;
  /** Name of the tool with which the agent reads large results; undefined when it has none. */
  readonly readerOf: (agent: string) => string | undefined;
  /**
   * The model as the agent uses it.
   * @throws EverloopError `configuration` when the model cannot be used on this Worker
   */
  readonly modelNamed: (name: string, agent: string) => LanguageModel;
}

/** One agent, put together. */
interface Composed {
  readonly definition: AgentDefinition;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly reader?: string;
  /** Its models that differ from those of the registry. */
  readonly models: Map<string, LanguageModel>;
}

/** Tells a problem of the agent, if `work` throws. */
type Attempt = <T>(member: string, work: () => T) => T | undefined;

/**
 * Puts the agents together. Each wrapper is called once for each thing that it wraps.
 * @throws ConfigurationError when two models share a name, and for every wrapper that throws or changes what it must not
 */
export function composeAgents(
  given: Readonly<Record<string, AgentDefinition>>,
  providers: Providers,
): WorkerAgents {
  const agents = withDoubles(given);
  const problems: ConfigurationProblem[] = [];
  const registry = createModelRegistry(providers, ownModels(agents, problems));
  const composed = new Map(
    Object.entries(agents).map(([name, agent]) => [
      name,
      compose(agent, registry, attemptsOf(name, problems)),
    ]),
  );
  if (problems.length > 0) {
    throw new ConfigurationError('The agents cannot be served as they are.', problems);
  }
  return {
    definitions: new Map([...composed].map(([name, { definition }]) => [name, definition])),
    toolNamed: (agent, name) => composed.get(agent)?.tools.get(name),
    readerOf: (agent) => composed.get(agent)?.reader,
    modelNamed(name, agent) {
      const known = composed.get(agent)?.models.get(name);
      if (known !== undefined) return known;
      const model = wrapped(registry.named(name), composed.get(agent)?.definition);
      composed.get(agent)?.models.set(name, model);
      return model;
    },
  };
}

function attemptsOf(agent: string, problems: ConfigurationProblem[]): Attempt {
  return (member, work) => {
    try {
      return work();
    } catch (error) {
      const what = error instanceof Error ? error.message : String(error);
      problems.push({ where: `agents.${agent}.${member}`, what });
      return undefined;
    }
  };
}

function compose(agent: AgentDefinition, registry: ModelRegistry, attempt: Attempt): Composed {
  const { tools: own = [], hiddenTools = [], wrapTool: wrappers = [], offload = true } = agent;
  const readable =
    offload !== false ? attempt('tools', () => withReadResult(own, hiddenTools)) : undefined;
  const { tools = own, reader } = readable ?? {};
  const inside = (all: readonly Tool[]) =>
    all.flatMap((tool) => attempt('wrapTool', () => wrapTool(tool, ...wrappers)) ?? []);
  const definition = {
    ...agent,
    tools: inside(tools),
    ...(hiddenTools.length > 0 && { hiddenTools: inside(hiddenTools) }),
  };
  const models = new Map<string, LanguageModel>();
  for (const choice of modelsOf(agent)) {
    const name = typeof choice === 'string' ? choice : choice.name;
    // A model that lacks its key is made, and fails, when it is called: other agents of the Worker may not need it.
    if (registry.problemOf(name) !== undefined) continue;
    const model = attempt('wrapModel', () => wrapped(registry.named(name), agent));
    if (model !== undefined) models.set(name, model);
  }
  return {
    definition,
    tools: new Map(toolsOf(definition).map((tool) => [tool.name, tool])),
    ...(reader !== undefined && { reader }),
    models,
  };
}

function wrapped(model: LanguageModel, agent: AgentDefinition | undefined): LanguageModel {
  return wrapLanguageModel(model, ...(agent?.wrapModel ?? []));
}

/** Models that agents bring as objects. Runs record a model by name, so a name means one model. */
function ownModels(
  agents: Readonly<Record<string, AgentDefinition>>,
  problems: ConfigurationProblem[],
): readonly LanguageModel[] {
  const models = new Map<string, LanguageModel>();
  for (const [name, agent] of Object.entries(agents)) {
    for (const model of modelsOf(agent)) {
      if (typeof model === 'string') continue;
      const known = models.get(model.name);
      if (known !== undefined && known !== model) {
        const what = `another model is named ${JSON.stringify(model.name)} too: give each a name of its own`;
        problems.push({ where: `agents.${name}.model`, what });
      }
      models.set(model.name, model);
    }
  }
  return [...models.values()];
}
