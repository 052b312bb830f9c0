/** The tool `task`: gives a piece of work to a sub-agent, a run of its own. */
import { z } from 'zod';
import type { LanguageModel } from '../../chat/language-model.ts';
import type { ApprovalPolicy, Tool } from '../../tools/define-tool.ts';
import { defineTool } from '../../tools/define-tool.ts';

/** What sub-agents do the work, and what they begin with. */
export interface TaskOptions {
  /** `task` unless said otherwise. */
  readonly name?: string;
  readonly description?: string;
  /** Name of the agent that does the work; the calling agent's own double when absent. */
  readonly agent?: string;
  /** `fresh`: it sees the task alone. `forked`: it sees the conversation so far as well. `fresh` unless said otherwise. */
  readonly context?: 'fresh' | 'forked';
  /** Of the double: another model than the calling agent's. */
  readonly model?: string | LanguageModel;
  /** Of the double: its tools; `inherit`, all of the calling agent's but those that are sub-agents, unless said otherwise. */
  readonly tools?: 'inherit' | readonly Tool[];
  readonly approve?: ApprovalPolicy<{ task: string }>;
}

const defaultDescription =
  'Gives a task to a sub-agent, which works on it by itself and answers with its result. Several calls in one response run side by side. It sees nothing but the task: say all that it needs to know.';

const forkedDescription =
  'Gives a task to a sub-agent, which knows this conversation so far, works on the task by itself and answers with its result. Several calls in one response run side by side.';

/**
 * Defines a tool whose calls are sub-agents: child runs with a budget, a history and a transcript of their own.
 * @throws TypeError when a named agent is given a model or tools: it has its own
 */
export function task(options: TaskOptions = {}): Tool {
  const { name = 'task', agent, context = 'fresh', model, tools = 'inherit', approve } = options;
  if (agent !== undefined && (model !== undefined || tools !== 'inherit')) {
    throw new TypeError(`tool ${name}: the agent ${agent} has a model and tools of its own`);
  }
  const description = context === 'fresh' ? defaultDescription : forkedDescription;
  const tool = defineTool({
    name,
    description: options.description ?? description,
    input: z.object({ task: z.string().min(1).describe('What is to be done.') }),
    ...(approve !== undefined && { approve }),
    execute: () => Promise.reject(new Error(`${name} is a run of its own`)),
  });
  const subAgent = {
    context,
    ...(agent !== undefined && { agent }),
    ...(model !== undefined && { model }),
    ...(tools !== 'inherit' && { tools }),
  };
  return { ...tool, subAgent };
}
