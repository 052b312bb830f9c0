/** Runs a file tool the way a model calls it. */
import { fileTools } from '../../../src/abilities/file-tools/file-tools.ts';
import { createMemoryWorkspace } from '../../../src/abilities/file-tools/memory-workspace.ts';
import type { Workspace } from '../../../src/abilities/file-tools/workspace.ts';
import type { JsonObject } from '../../../src/chat/json.ts';
import type { Tool } from '../../../src/tools/define-tool.ts';
import { toolContext } from '../../tools/tool-context.ts';

/** Files of a workspace in memory, by path. */
type Files = Readonly<Record<string, string>>;

/** Runs one of the file tools over files in memory. */
export function runIn(files: Files, name: string, input: JsonObject): Promise<string> {
  return run(createMemoryWorkspace(files), name, input);
}

/** Runs one of the file tools over a workspace, or a folder of this machine. */
export function run(
  root: string | Workspace,
  name: string,
  input: JsonObject,
  signal?: AbortSignal,
): Promise<string> {
  return runTool(
    fileTools(root).find((tool) => tool.name === name),
    input,
    signal,
  );
}

/** Runs a tool; every file tool answers with text. */
export async function runTool(
  tool: Tool | undefined,
  input: JsonObject,
  signal?: AbortSignal,
): Promise<string> {
  const result = await tool?.run(input, toolContext(signal));
  if (typeof result !== 'string') throw new Error('no such tool, or its answer is no text');
  return result;
}
