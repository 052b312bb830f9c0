/** From an agent's definition to the data that its runs record. */
import { createHash } from 'node:crypto';
import type { Options } from '../chat/options.ts';
import { resolveOptions } from '../chat/resolve-options.ts';
import { defaultMaxIterations } from '../loop/agent-defaults.ts';
import type { AgentSpec } from '../loop/agent-spec.ts';
import { defaultCompactionTerms } from '../loop/compaction.ts';
import type { Price } from '../loop/price.ts';
import { byName } from '../tools/by-name.ts';
import type { Tool } from '../tools/define-tool.ts';
import { toBudgetMembers } from './agent-budget.ts';
import type { AgentDefinition } from './define-agent.ts';
import { modelsOf, toolsOf } from './define-agent.ts';
import { hookTimeoutMs, momentsOf } from './define-hook.ts';
import { doubleName } from './sub-agents.ts';

/**
 * The agent as data: options resolved (the start's win), tools sorted by code unit of their name, hashed.
 * @throws ChatError when the options are not valid together
 */
export function toAgentSpec(
  name: string,
  agent: AgentDefinition,
  settings: {
    readonly heartbeatTimeoutMs: number;
    readonly options?: Options;
    /** What a model costs, by its name; undefined where nobody knows. */
    readonly priceOf?: (model: string) => KnownPrice | undefined;
  },
): AgentSpec {
  const models = modelsOf(agent).map((model) => (typeof model === 'string' ? model : model.name));
  const options = resolveOptions(agent.options ?? {}, settings.options ?? {});
  const spec = {
    version: 1 as const,
    name,
    models,
    instructions: agent.instructions,
    tools: [...toolsOf(agent)].sort(byName).map((tool) => toToolSpec(name, tool)),
    options,
    ...(agent.toolChoice !== undefined && { toolChoice: agent.toolChoice }),
    ...hookMembers(agent),
    maxIterations: agent.maxIterations ?? defaultMaxIterations,
    onMaxIterations: agent.onMaxIterations ?? 'stop',
    serialTools: agent.serialTools ?? false,
    continueOnLength: agent.continueOnLength ?? false,
    ...toBudgetMembers(agent),
    ...priceMembers(models, options.model, settings.priceOf),
    ...(typeof agent.offload === 'object' && { oldResultsAfter: agent.offload.oldAfter }),
    ...(agent.compaction !== undefined && { compaction: toCompaction(agent.compaction) }),
    heartbeatTimeoutMs: settings.heartbeatTimeoutMs,
  };
  const hash = createHash('sha256').update(JSON.stringify(spec)).digest('hex').slice(0, 16);
  return { ...spec, hash };
}

/** What a model costs, and how many tokens it takes at most. */
type KnownPrice = Price & { readonly contextTokens?: number };

/** Absent where no model has a price: an agent of such models is recorded as if there were no such thing. */
function priceMembers(
  models: readonly string[],
  /** The model that the options name in place of the agent's. */
  instead: string | undefined,
  priceOf: (model: string) => KnownPrice | undefined = () => undefined,
): Pick<AgentSpec, 'prices' | 'contextTokens'> {
  const known = models.map((name) => priceOf(instead ? inPlaceOf(name, instead) : name));
  if (known.every((price) => price === undefined)) return {};
  return {
    prices: known.map((price) => (price === undefined ? null : withoutContext(price))),
    contextTokens: known.map((price) => price?.contextTokens ?? null),
  };
}

/** The same provider's other model. */
function inPlaceOf(name: string, model: string): string {
  return `${name.slice(0, name.indexOf(':') + 1)}${model}`;
}

function withoutContext({ contextTokens: _, ...price }: KnownPrice): Price {
  return price;
}

function toCompaction(
  compaction: NonNullable<AgentDefinition['compaction']>,
): NonNullable<AgentSpec['compaction']> {
  return compaction === false ? false : { ...defaultCompactionTerms, ...compaction };
}

/** Absent without hooks: an agent that has none is recorded as if there were no such thing. */
function hookMembers({
  hooks = [],
  hiddenTools = [],
}: AgentDefinition): Pick<AgentSpec, 'hooks' | 'hiddenTools'> {
  const specs = hooks.map((hook) => ({
    name: hook.name,
    moments: momentsOf(hook),
    timeoutMs: hookTimeoutMs(hook),
    ...(hook.local === true && { local: true as const }),
  }));
  const hidden = hiddenTools.map(({ name }) => name).sort();
  return {
    ...(specs.length > 0 && { hooks: specs }),
    ...(hidden.length > 0 && { hiddenTools: hidden }),
  };
}

function toToolSpec(agent: string, tool: Tool): AgentSpec['tools'][number] {
  const { subAgent } = tool;
  return {
    definition: {
      name: tool.name,
      description: tool.description,
      inputSchema: tool.inputSchema,
    },
    effect: tool.effect,
    timeoutMs: tool.timeoutMs,
    maxAttempts: tool.maxAttempts,
    maxResultBytes: tool.maxResultBytes,
    ...(tool.local === true && { local: true as const }),
    ...(tool.maxWaitMs !== undefined && { maxWaitMs: tool.maxWaitMs }),
    ...(tool.approve !== undefined && { approve: tool.approve }),
    ...(tool.external !== undefined && { external: tool.external }),
    ...(subAgent !== undefined && {
      subAgent: {
        agent: subAgent.agent ?? doubleName(agent, tool.name),
        context: subAgent.context,
      },
    }),
  };
}
