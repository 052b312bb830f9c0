/** Finds a tool in an agent's data. Apart from the schemas, which Workflow code need not load. */
import type { AgentSpec, ToolSpec } from './agent-spec.ts';

/** The tool of that name, or undefined when the agent has none. */
export function toolSpecOf(agent: AgentSpec, name: string): ToolSpec | undefined {
  return agent.tools.find((tool) => tool.definition.name === name);
}
