/** The Workflow code as one file for the sandbox: prebuilt in the published package, bundled once per process from sources. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { WorkflowBundleOption } from '@temporalio/worker';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

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
    : bundleWorkflows(workflowsPath);
  return bundled;
}

/** Bundles a file of Workflows. The bundler's progress lines are dropped: only what goes wrong is worth a person's time. */
export async function bundleWorkflows(path: string): Promise<{ readonly code: string }> {
  return await bundleWorkflowCode({
    workflowsPath: path,
    logger: new DefaultLogger('ERROR'),
    webpackConfigHook: (config) => {
      for (const rule of config.module?.rules ?? []) raiseTarget(rule);
      return config;
    },
  });
}

/**
 * The SDK's bundler writes TypeScript down for the Node of 2017: object spreads and private members become
 * calls of helpers, on every fact of every run. The sandbox is this Node's own.
 */
function raiseTarget(rule: unknown): void {
  if (!isRecord(rule) || !isRecord(rule['use']) || !isRecord(rule['use']['options'])) return;
  const { jsc } = rule['use']['options'];
  if (isRecord(jsc) && jsc['target'] !== undefined) jsc['target'] = 'es2022';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
