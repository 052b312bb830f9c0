/** Gives an agent's tools the one that reads large results. */
import type { Tool } from '../../tools/define-tool.ts';
import { readResult } from './read-result.ts';

/** An agent's tools; with a reader, results that are too large are kept for it. */
export interface ReadableTools {
  readonly tools: readonly Tool[];
  /** Name of the tool that reads results. */
  readonly reader?: string;
}

/**
 * The tools and `read_result`; none where there is no tool whose results it could read, `others` included.
 * @throws TypeError when a tool is named `read_result` already
 */
export function withReadResult(
  tools: readonly Tool[],
  others: readonly Tool[] = [],
): ReadableTools {
  const { name } = readResult;
  const all = [...tools, ...others];
  if (all.some((tool) => tool.name === name)) {
    throw new TypeError(
      `${name} is the name of a built-in tool: rename the agent's own, or set its offload to false`,
    );
  }
  return all.length === 0 ? { tools } : { tools: [...tools, readResult], reader: name };
}
