/** Puts something around a tool: retries, checks, a cache, a gate. */
import { isRecord } from '../chat/is-record.ts';
import type { Tool } from './define-tool.ts';

/**
 * Makes a tool of another one. It is called once per tool and Worker, so what it closes over is shared by all runs.
 *
 * Contract: name, input schema and effect stay as they are, because runs have recorded them.
 */
export type ToolWrapper = (next: Tool) => Tool;

/**
 * The tool inside all wrappers; the first is outermost. A gate (`admit`) of the tool outlives a wrapper that
 * does not know it.
 * @throws TypeError when a wrapper answers with no tool, or changes what it must not; and what a wrapper throws
 */
export function wrapTool(tool: Tool, ...wrappers: readonly ToolWrapper[]): Tool {
  return wrappers.reduceRight((next, wrap) => {
    const wrapped = wrap(next);
    const problem = problemOf(next, wrapped);
    if (problem !== undefined) throw new TypeError(`a wrapper of tool ${next.name} ${problem}`);
    return withGateOf(next, wrapped);
  }, tool);
}

/** Wrappers are written by anyone: what they return is looked at as if it had no type. */
function problemOf(next: Tool, wrapped: unknown): string | undefined {
  const isTool = isRecord(wrapped) && [wrapped['run'], wrapped['check']].every(isFunction);
  if (!isTool) return 'returned no tool';
  if (wrapped['name'] !== next.name) return 'changed its name';
  if (wrapped['effect'] !== next.effect) return 'changed its effect';
  if (next.effect === 'once' && wrapped['maxAttempts'] !== 1) {
    return 'lets it run more than once, although its effect is once';
  }
  const isSameSchema = JSON.stringify(wrapped['inputSchema']) === JSON.stringify(next.inputSchema);
  return isSameSchema ? undefined : 'changed its input schema';
}

function withGateOf(next: Tool, wrapped: Tool): Tool {
  if (next.admit === undefined || wrapped.admit !== undefined) return wrapped;
  const { admit, maxWaitMs } = next;
  return {
    ...wrapped,
    admit,
    ...(maxWaitMs !== undefined && { maxWaitMs }),
    // A wrapper may answer with an object of a class, whose methods are not copied above.
    check: (input) => wrapped.check(input),
    run: (input, context) => wrapped.run(input, context),
  };
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}
