/** The doubles of agents whose tools are sub-agents without a name of their own. */
import type { Tool } from '../tools/define-tool.ts';
import type { AgentDefinition } from './define-agent.ts';
import { toolsOf } from './define-agent.ts';

/** Name of the double that answers the calls of a tool. */
export function doubleName(agent: string, tool: string): string {
  return `${agent}/${tool}`;
}

/** The agents, and the doubles that answer the calls of their sub-agent tools. */
export function withDoubles(
  agents: Readonly<Record<string, AgentDefinition>>,
): Readonly<Record<string, AgentDefinition>> {
  const all: Record<string, AgentDefinition> = { ...agents };
  for (const [name, agent] of Object.entries(agents)) {
    for (const tool of toolsOf(agent)) {
      const { subAgent } = tool;
      if (subAgent === undefined || subAgent.agent !== undefined) continue;
      all[doubleName(name, tool.name)] ??= doubleOf(agent, subAgent);
    }
  }
  return all;
}

function doubleOf(
  { toolChoice: _, hiddenTools = [], ...agent }: AgentDefinition,
  { model, tools }: NonNullable<Tool['subAgent']>,
): AgentDefinition {
  const isInherited = ({ subAgent }: Tool) => subAgent === undefined;
  const hidden = tools === undefined ? hiddenTools.filter(isInherited) : [];
  return {
    ...agent,
    ...(model !== undefined && { model }),
    tools: tools ?? (agent.tools ?? []).filter(isInherited),
    ...(hidden.length > 0 && { hiddenTools: hidden }),
  };
}
