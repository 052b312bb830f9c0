/** Agents as their authors write them. */
import type { LanguageModel } from '../chat/language-model.ts';
import type { Options } from '../chat/options.ts';
import type { ToolChoice } from '../chat/tool-choice.ts';
import type { Tool } from '../tools/define-tool.ts';

/** A model by name, or the model itself. */
export type ModelChoice = string | LanguageModel;

export interface AgentDefinition {
  /**
   * A name such as `openai:gpt-5.5`, or a model of your own; or several, each of which is asked when the one
   * before it has failed for good. A run stays with the model it has fallen back to.
   */
  readonly model: ModelChoice | readonly [ModelChoice, ...ModelChoice[]];
  readonly instructions: string;
  readonly tools?: readonly Tool[];
  readonly options?: Options;
  readonly toolChoice?: ToolChoice;
  /** Model calls with their tools at most; 16 unless said otherwise. */
  readonly maxIterations?: number;
  /** `finish`: one last model call without tools, so that the run ends with an answer. */
  readonly onMaxIterations?: 'stop' | 'finish';
  /** Runs the calls of one response in order, not side by side. */
  readonly serialTools?: boolean;
  /** Goes on after an answer that was cut at its length limit. */
  readonly continueOnLength?: boolean;
}

/** The agent's models, in the order in which they are asked. */
export function modelsOf({ model }: Pick<AgentDefinition, 'model'>): readonly ModelChoice[] {
  return typeof model === 'object' && 'length' in model ? model : [model];
}

/**
 * Defines an agent.
 * @throws TypeError when two tools have the same name, or `maxIterations` is no whole number from 1
 */
export function defineAgent(definition: AgentDefinition): AgentDefinition {
  const names = new Set<string>();
  for (const { name } of definition.tools ?? []) {
    if (names.has(name)) throw new TypeError(`two tools are named ${name}`);
    names.add(name);
  }
  const { maxIterations = 1 } = definition;
  if (!Number.isSafeInteger(maxIterations) || maxIterations < 1) {
    throw new TypeError(`maxIterations: ${maxIterations} is no whole number from 1`);
  }
  return definition;
}
