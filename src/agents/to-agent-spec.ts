/** From an agent's definition to the data that its runs record. */
import { createHash } from 'node:crypto';
import type { Options } from '../chat/options.ts';
import { resolveOptions } from '../chat/resolve-options.ts';
import { defaultMaxIterations } from '../loop/agent-defaults.ts';
import type { AgentSpec } from '../loop/agent-spec.ts';
import { byName } from '../tools/by-name.ts';
import type { Tool } from '../tools/define-tool.ts';
import type { AgentDefinition } from './define-agent.ts';
import { modelsOf, toolsOf } from './define-agent.ts';
import { hookTimeoutMs, momentsOf } from './define-hook.ts';

/**
 * The agent as data: options resolved (the start's win), tools sorted by code unit of their name, hashed.
 * @throws ChatError when the options are not valid together
 */
export function toAgentSpec(
  name: string,
  agent: AgentDefinition,
  settings: { readonly heartbeatTimeoutMs: number; readonly options?: Options },
): AgentSpec {
  const spec = {
    version: 1 as const,
    name,
    models: modelsOf(agent).map((model) => (typeof model === 'string' ? model : model.name)),
    instructions: agent.instructions,
    tools: [...toolsOf(agent)].sort(byName).map(toToolSpec),
    options: resolveOptions(agent.options ?? {}, settings.options ?? {}),
    ...(agent.toolChoice !== undefined && { toolChoice: agent.toolChoice }),
    ...hookMembers(agent),
    maxIterations: agent.maxIterations ?? defaultMaxIterations,
    onMaxIterations: agent.onMaxIterations ?? 'stop',
    serialTools: agent.serialTools ?? false,
    continueOnLength: agent.continueOnLength ?? false,
    heartbeatTimeoutMs: settings.heartbeatTimeoutMs,
  };
  const hash = createHash('sha256').update(JSON.stringify(spec)).digest('hex').slice(0, 16);
  return { ...spec, hash };
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

function toToolSpec(tool: Tool): AgentSpec['tools'][number] {
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
  };
}
