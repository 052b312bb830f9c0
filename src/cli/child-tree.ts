/** The sub-agents of a run, theirs, and so on, as the server lists them. */
import type { RunSummary } from '../client/list-runs.ts';
import type { Runs } from './engine.ts';
import { formatCount } from './format.ts';
import { printable } from './terminal.ts';

/** A sub-agent and what it has started itself, in the order of their start. */
export interface ChildTree extends RunSummary {
  readonly children: readonly ChildTree[];
}

/** All that stands below a run. */
export async function childTree({ everloop }: Runs, runId: string): Promise<readonly ChildTree[]> {
  const below = async (id: string): Promise<readonly ChildTree[]> => {
    const children = await Array.fromAsync(everloop.run(id).children());
    const trees = children
      .toReversed()
      .map(async (child) => ({ ...child, children: await below(child.id) }));
    return await Promise.all(trees);
  };
  return await below(runId);
}

/** A line for each: its id, status, agent and tokens, and what it waits for. */
export function childLines(trees: readonly ChildTree[], indent = '  '): readonly string[] {
  return trees.flatMap(({ id, status, agent, memo, children }) => {
    const { inputTokens = 0, outputTokens = 0 } = memo?.usage ?? {};
    const tokens = `${formatCount(inputTokens + outputTokens)} tokens`;
    const waits = memo?.waitingFor === undefined ? '' : `  waits for ${memo.waitingFor}`;
    const line = printable(`${indent}${id}  ${status}  ${agent}  ${tokens}${waits}`);
    return [line, ...childLines(children, `${indent}  `)];
  });
}
