/** Looks into a Workflow bundle: which Workflows does it export? */
import { readFile } from 'node:fs/promises';
import { createContext, Script } from 'node:vm';
import type { WorkflowBundleOption } from '@temporalio/worker';
import { injectGlobals } from '@temporalio/worker/lib/workflow/vm-shared.js';

/**
 * Names that the bundle's Workflow file exports. The bundle is evaluated as the SDK does it, outside any
 * Workflow: the names are nowhere in its text. Undefined when it cannot be evaluated so: then the Worker itself
 * says what is wrong with it, or its code asks for a running Workflow while it loads.
 */
export async function bundledWorkflows(
  bundle: WorkflowBundleOption,
): Promise<readonly string[] | undefined> {
  const context = createContext({ __webpack_module_cache__: {} });
  injectGlobals(context);
  try {
    const code = 'code' in bundle ? bundle.code : await readFile(bundle.codePath, 'utf8');
    new Script(code).runInContext(context);
    const names: unknown = new Script(
      'Object.keys(__TEMPORAL__.importWorkflows()).join()',
    ).runInContext(context);
    return String(names).split(',');
  } catch {
    return undefined;
  }
}
