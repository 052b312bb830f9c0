/** What a configuration may hold, and how its problems are told. */
import { z } from 'zod';
import { termsProblems } from './agents/agent-budget.ts';
import type { AgentDefinition } from './agents/define-agent.ts';
import type { Hook } from './agents/define-hook.ts';
import type { LanguageModel, LanguageModelWrapper } from './chat/language-model.ts';
import { Options } from './chat/options.ts';
import { ToolChoice } from './chat/tool-choice.ts';
import type { ConfigurationProblem } from './everloop-error.ts';
import { createModelRegistry } from './models/model-registry.ts';
import type { BlobStore } from './storage/blob-store.ts';
import type { Tool } from './tools/define-tool.ts';
import type { ToolWrapper } from './tools/wrap-tool.ts';

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isFunction = (value: unknown) => typeof value === 'function';

const isNamed = (value: unknown) => isObject(value) && 'name' in value;

const ToolMade = z.custom<Tool>(
  (value) => isObject(value) && 'run' in value && 'inputSchema' in value && 'name' in value,
  'must be made with defineTool',
);

const Model = z.custom<string | LanguageModel>(
  (value) => typeof value === 'string' || (isObject(value) && 'stream' in value && 'name' in value),
  'must be a name such as openai-chat:gpt-5.5, or a LanguageModel',
);

const Share = z.number().gt(0).lt(1);

const AgentMembers = z.strictObject({
  model: z.union([Model, z.array(Model).min(1)]),
  instructions: z.string(),
  tools: z.array(ToolMade).optional(),
  hooks: z.array(z.custom<Hook>(isNamed, 'must be made with defineHook')).optional(),
  hiddenTools: z.array(ToolMade).optional(),
  wrapTool: z.array(z.custom<ToolWrapper>(isFunction, 'must be a function')).optional(),
  wrapModel: z.array(z.custom<LanguageModelWrapper>(isFunction, 'must be a function')).optional(),
  offload: z
    .union([z.boolean(), z.strictObject({ oldAfter: z.number().int().positive() })])
    .optional(),
  retryIf: z.custom<AgentDefinition['retryIf']>(isFunction, 'must be a function').optional(),
  options: z.optional(Options),
  toolChoice: z.optional(ToolChoice),
  maxIterations: z.int().positive().optional(),
  onMaxIterations: z.enum(['stop', 'finish']).optional(),
  serialTools: z.boolean().optional(),
  continueOnLength: z.boolean().optional(),
  compaction: z
    .union([z.literal(false), z.strictObject({ at: Share.optional(), keep: Share.optional() })])
    .optional(),
  budget: z.unknown().optional(),
  onLimit: z.unknown().optional(),
  maxDepth: z.unknown().optional(),
});

/** The terms of a budget have one check, here and where an agent is defined. */
const Agent = AgentMembers.check(({ value, issues }) => {
  for (const { path, what } of termsProblems(value)) {
    issues.push({ code: 'custom', input: value, path: [...path], message: what });
  }
});

const rate = z.number().nonnegative();

const rates = {
  input: rate,
  output: rate,
  cacheRead: rate.optional(),
  cacheWrite: rate.optional(),
};

const OwnPrice = z.strictObject({
  ...rates,
  longPrompt: z.strictObject({ above: z.int().positive(), ...rates }).optional(),
  contextTokens: z.int().positive().optional(),
});

const blobMembers = ['put', 'get', 'has', 'list', 'delete'] as const satisfies (keyof BlobStore)[];

const Definition = z.strictObject({
  agents: z.record(z.string().min(1), Agent),
  taskQueue: z.string().min(1).optional(),
  namespace: z.string().min(1).optional(),
  prices: z.record(z.string().min(1), OwnPrice).optional(),
  blobs: z
    .custom<BlobStore>(
      (value) => isObject(value) && blobMembers.every((member) => member in value),
      'must be a BlobStore',
    )
    .optional(),
});

/** What is looked at across members, however broken the rest is. */
const Loose = z.object({
  agents: z
    .record(
      z.string(),
      z
        .object({
          model: z.unknown(),
          tools: z.array(z.object({ name: z.string() }).catch({ name: '' })).catch([]),
          toolChoice: z
            .object({ mode: z.literal('named'), name: z.string() })
            .optional()
            .catch(undefined),
        })
        .catch({ model: undefined, tools: [], toolChoice: undefined }),
    )
    .catch({}),
});

/** Everything that is wrong with what a configuration file exports; empty when it is a ConfigDefinition. */
export function definitionProblems(file: string, exported: unknown): ConfigurationProblem[] {
  const parsed = Definition.safeParse(exported);
  const inMembers = (parsed.error?.issues ?? []).map((issue) => ({
    where: [`${file}`, issue.path.join('.')].filter((place) => place !== '').join(': '),
    what: issue.message,
  }));
  return [...inMembers, ...acrossMembers(file, exported)];
}

function acrossMembers(file: string, exported: unknown): ConfigurationProblem[] {
  const problems: ConfigurationProblem[] = [];
  const { agents } = Loose.catch({ agents: {} }).parse(exported);
  const models = new Map<string, object>();
  for (const [name, { model, tools, toolChoice }] of Object.entries(agents)) {
    const where = `${file}: agents.${name}`;
    for (const one of Array.isArray(model) ? model : [model]) {
      const what = typeof one === 'string' ? modelProblem(one) : ownModelProblem(models, one);
      if (what !== undefined) problems.push({ where: `${where}.model`, what });
    }
    const names = tools.map((tool) => tool.name);
    for (const [index, tool] of names.entries()) {
      if (tool === '' || names.indexOf(tool) === index) continue;
      problems.push({
        where: `${where}.tools.${index}`,
        what: `another tool is named ${tool}, too`,
      });
    }
    if (toolChoice !== undefined && !names.includes(toolChoice.name)) {
      const what = `the agent has no tool named ${toolChoice.name}`;
      problems.push({ where: `${where}.toolChoice.name`, what });
    }
  }
  return problems;
}

/** Runs record a model by its name, so a name means one model. */
function ownModelProblem(models: Map<string, object>, model: unknown): string | undefined {
  if (!isObject(model) || !('name' in model) || typeof model.name !== 'string') return undefined;
  const known = models.get(model.name);
  models.set(model.name, model);
  if (known === undefined || known === model) return undefined;
  return `another model is named ${JSON.stringify(model.name)} too; give each a name of its own`;
}

/** What is wrong with a model's name, keys aside. */
export function modelProblem(name: string): string | undefined {
  const access = { apiKey: 'present' };
  const providers = { openai: access, 'openai-chat': access, anthropic: access };
  const problem = createModelRegistry(providers).problemOf(name);
  return problem && `${problem.what}; ${problem.hint}`;
}
