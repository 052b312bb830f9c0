/** Agents as their authors write them. */
import type { LanguageModel } from '../chat/language-model.ts';
import type { Options } from '../chat/options.ts';
import type { ToolChoice } from '../chat/tool-choice.ts';
import type { Tool } from '../tools/define-tool.ts';

export interface AgentDefinition {
  /** A name such as `openai-chat:gpt-5.5`, or a model of your own. */
  readonly model: string | LanguageModel;
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
