/** Finds the hooks that a run's record names in the code of this Worker. */
import type { AgentDefinition } from '../agents/define-agent.ts';
import type { Hook } from '../agents/define-hook.ts';
import { unknownHookHere } from './unknown-here.ts';

/**
 * The hooks of those names, in the order of the record.
 * @throws ApplicationFailure `everloop.unknown_hook`, which is tried again: another Worker may have the hook, and
 * going on without it would be going on without a guard
 */
export function hooksOf(
  agents: ReadonlyMap<string, Pick<AgentDefinition, 'hooks'>>,
  agent: string,
  names: readonly string[],
): readonly Hook[] {
  const own = agents.get(agent)?.hooks ?? [];
  return names.map((name) => {
    const hook = own.find((each) => each.name === name);
    if (hook !== undefined) return hook;
    throw unknownHookHere(agent, name);
  });
}
