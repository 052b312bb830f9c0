/** The Workflow code as one file for the sandbox: prebuilt in the published package, bundled once per process from sources. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { WorkflowBundleOption } from '@temporalio/worker';
import { bundleWorkflowCode } from '@temporalio/worker';

/** Sources run as they are (`.ts`), the package runs what was built of them (`.js`). */
const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
const prebuilt = fileURLToPath(new URL('../workflow-bundle.js', import.meta.url));

let bundled: Promise<WorkflowBundleOption> | undefined;

/** File whose exports are the Workflows of a Worker. */
export const workflowsPath = fileURLToPath(
  new URL(`../workflows/index${extension}`, import.meta.url),
);

/** The bundle that Workers and replays load. */
export function workflowBundle(): Promise<WorkflowBundleOption> {
  bundled ??= existsSync(prebuilt)
    ? Promise.resolve({ codePath: prebuilt })
    : bundleWorkflowCode({ workflowsPath, logger: quiet });
  return bundled;
}

/** The bundler reports its progress line by line; only what goes wrong is worth a person's time. */
const quiet = {
  log() {},
  trace() {},
  debug() {},
  info() {},
  warn() {},
  error: (message: string) => process.stderr.write(`${message}\n`),
};
