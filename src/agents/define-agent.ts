/** Agents as their authors write them. */
import type { LanguageModel, LanguageModelWrapper } from '../chat/language-model.ts';
import type { ModelError } from '../chat/model-error.ts';
import type { Options } from '../chat/options.ts';
import type { ToolChoice } from '../chat/tool-choice.ts';
import type { Tool } from '../tools/define-tool.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import type { ToolWrapper } from '../tools/wrap-tool.ts';
import type { BudgetTerms } from './agent-budget.ts';
import { termsProblems } from './agent-budget.ts';
import type { Hook } from './define-hook.ts';

/** A model by name, or the model itself. */
export type ModelChoice = string | LanguageModel;

/** An agent as data, with the code of its tools and hooks: see {@link defineAgent}. */
export interface AgentDefinition extends BudgetTerms {
  /**
   * A name such as `openai:gpt-5.5`, or a model of your own; or several, each of which is asked when the one
   * before it has failed for good. A run stays with the model it has fallen back to.
   */
  readonly model: ModelChoice | readonly [ModelChoice, ...ModelChoice[]];
  readonly instructions: string;
  readonly tools?: readonly Tool[];
  /** Put around each of the tools, once per Worker; the first is outermost. */
  readonly wrapTool?: readonly ToolWrapper[];
  /** Put around each of the models, once per Worker; the first is outermost. */
  readonly wrapModel?: readonly LanguageModelWrapper[];
  /**
   * `false`: what is too large of a result is cut off; otherwise it is kept, and the model reads it with
   * `read_result`. With `oldAfter`, results so many messages ago are shortened in what the model sees as well.
   */
  readonly offload?: boolean | { readonly oldAfter: number };
  /** Asked at the seven moments of a run, in this order. */
  readonly hooks?: readonly Hook[];
  /** Tools that the model is not offered until a hook shows them by name. */
  readonly hiddenTools?: readonly Tool[];
  /** Whether a failed model call is tried again; `undefined` leaves it to the kind of the error. */
  readonly retryIf?: (error: ModelError) => boolean | undefined;
  readonly options?: Options;
  readonly toolChoice?: ToolChoice;
  /** Model calls with their tools at most; 16 unless said otherwise. */
  readonly maxIterations?: number;
  /** `finish`: one last model call without tools, so that the run ends with an answer. */
  readonly onMaxIterations?: 'stop' | 'finish';
  /** Runs the calls of one response in order, not side by side. */
  readonly serialTools?: boolean;
  /**
   * A conversation that comes near the context of its model is summed up, all but its last part: at 80 % of the
   * context, with 20 % kept, unless said otherwise. The transcript keeps everything. `false`: never.
   */
  readonly compaction?: false | { readonly at?: number; readonly keep?: number };
  /** Goes on after an answer that was cut at its length limit. */
  readonly continueOnLength?: boolean;
}

/** What an agent is defined with. */
export interface AgentOptions extends Omit<AgentDefinition, 'tools'> {
  /** Of a registry, the tools that are in it when the agent is defined. */
  readonly tools?: readonly Tool[] | ToolRegistry;
}

/** Every tool of the agent, hidden ones included. */
export function toolsOf({
  tools = [],
  hiddenTools = [],
}: Pick<AgentDefinition, 'tools' | 'hiddenTools'>): readonly Tool[] {
  return [...tools, ...hiddenTools];
}

/** The agent's models, in the order in which they are asked. */
export function modelsOf({ model }: Pick<AgentDefinition, 'model'>): readonly ModelChoice[] {
  return typeof model === 'object' && 'length' in model ? model : [model];
}

/**
 * Defines an agent.
 * @throws TypeError when two tools or two hooks have the same name, `maxIterations` is no whole number from 1, or a limit is not positive
 */
export function defineAgent({ tools: given = [], ...definition }: AgentOptions): AgentDefinition {
  const tools = 'list' in given ? given.list() : given;
  const names = new Set<string>();
  for (const { name } of [...tools, ...(definition.hiddenTools ?? [])]) {
    if (names.has(name)) throw new TypeError(`two tools are named ${name}`);
    names.add(name);
  }
  const hooks = new Set<string>();
  for (const { name } of definition.hooks ?? []) {
    if (hooks.has(name)) throw new TypeError(`two hooks are named ${name}`);
    hooks.add(name);
  }
  const { at = 0.5, keep = 0.5 } = definition.compaction || {};
  if (!isShare(at) || !isShare(keep)) {
    throw new TypeError(`compaction: at and keep are shares between 0 and 1`);
  }
  const { maxIterations = 1 } = definition;
  if (!Number.isSafeInteger(maxIterations) || maxIterations < 1) {
    throw new TypeError(`maxIterations: ${maxIterations} is no whole number from 1`);
  }
  const terms = termsProblems(definition);
  if (terms.length > 0) {
    throw new TypeError(terms.map(({ path, what }) => `${path.join('.')}: ${what}`).join('; '));
  }
  return { ...definition, ...(tools.length > 0 && { tools }) };
}

function isShare(value: number): boolean {
  return value > 0 && value < 1;
}
