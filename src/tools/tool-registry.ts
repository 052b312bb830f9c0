/** A registry of tools: collects them where many files define some, for agents to take them from. */
import { byName } from './by-name.ts';
import type { Tool } from './define-tool.ts';
import type { ToolWrapper } from './wrap-tool.ts';
import { wrapTool } from './wrap-tool.ts';

/** Tools by name. An agent takes those that are there when it is defined. */
export interface ToolRegistry {
  /**
   * Adds the tool, in the place of one with the same name.
   * @throws TypeError when the registry's wrapper spoils it, see {@link wrapTool}; and what the wrapper throws
   */
  register(tool: Tool): void;
  lookup(name: string): Tool | undefined;
  /** All tools, sorted by code unit of their name. */
  list(): readonly Tool[];
  /** Wraps whatever is registered from now on; what is registered already stays as it is. */
  setWrap(wrapper: ToolWrapper): void;
}

/** Makes an empty registry. */
export function createToolRegistry(): ToolRegistry {
  const tools = new Map<string, Tool>();
  let wrappers: readonly ToolWrapper[] = [];
  return {
    register(tool) {
      tools.set(tool.name, wrapTool(tool, ...wrappers));
    },
    lookup: (name) => tools.get(name),
    list: () => [...tools.values()].sort(byName),
    setWrap(wrapper) {
      wrappers = [wrapper];
    },
  };
}
