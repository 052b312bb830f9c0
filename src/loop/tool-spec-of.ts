/** Finds a tool in an agent's data. Apart from the schemas, which Workflow code need not load. */
import type { AgentSpec, ToolSpec } from './agent-spec.ts';

/** The agent with the tools that the model is offered now; the very same when none is hidden. */
export function offered(agent: AgentSpec, hidden: readonly string[]): AgentSpec {
  if (hidden.length === 0) return agent;
  const tools = agent.tools.filter(({ definition }) => !hidden.includes(definition.name));
  return { ...agent, tools };
}

/** The tool of that name, or undefined when the agent has none. */
export function toolSpecOf(agent: AgentSpec, name: string): ToolSpec | undefined {
  return agent.tools.find((tool) => tool.definition.name === name);
}
