/** Reads a file of bundled Workflow code, and tells one from other files before a replay blames a run for it. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Script } from 'node:vm';
import { EverloopError } from '../everloop-error.ts';
import type { Terminal } from './terminal.ts';

/** What the code of every bundle that runs agents names. */
const workflowType = 'everloopAgentRun';
/** What Temporal's bundler ends a bundle with, and its loader looks for. */
const sourceMap = '//# sourceMappingURL=data:';

/**
 * The bundle in the file.
 * @throws EverloopError `invalid_input` when it cannot be read or is no bundle
 */
export async function readBundle(
  { directory }: Terminal,
  file: string,
): Promise<{ readonly code: string }> {
  const code = await readFile(resolve(directory, file), 'utf8').catch((error: unknown) => {
    throw new EverloopError('invalid_input', `the bundle ${file} cannot be read`, {
      hint: `check its name and permissions (${error instanceof Error && 'code' in error ? error.code : error})`,
      cause: error,
    });
  });
  const why = problemOf(code);
  if (why === undefined) return { code };
  throw new EverloopError('invalid_input', `${file} is no bundle of Workflow code: ${why}`, {
    hint: "name one that Temporal's bundleWorkflowCode made, such as dist/workflow-bundle.js of a release",
  });
}

function problemOf(code: string): string | undefined {
  if (!code.includes(sourceMap)) return "it has no source map, as the bundler's files have";
  if (!code.includes(workflowType)) return `it holds no Workflow ${workflowType}`;
  try {
    new Script(code); // Compiled, not run.
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
