/** One embedded Temporal server for all test files that need one; it dies with the test run. */
import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startDevServer } from '../../src/engine/dev-server.ts';
import { findTemporalCli } from '../../src/engine/find-temporal-cli.ts';
import { bundleWorkflows, workflowsPath } from '../../src/engine/workflow-bundle.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** `host:port` of the server. */
    temporalAddress: string;
    /** The Workflow code, bundled once for all test files and their Worker processes. */
    workflowBundlePath: string;
  }
}

/** Starts the server and bundles the Workflow code; returns what stops the server. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const cli = await findTemporalCli({ env: process.env });
  const folder = await mkdtemp(join(tmpdir(), 'everloop-test-server-'));
  // For a run that is interrupted: then nothing below is called.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const server = await startDevServer({ cli, databaseFile: join(folder, 'temporal.db') });
  project.provide('temporalAddress', server.address);
  const workflowBundlePath = join(folder, 'workflow-bundle.js');
  await writeFile(workflowBundlePath, (await bundleWorkflows(workflowsPath)).code);
  project.provide('workflowBundlePath', workflowBundlePath);
  return () => server.stop();
}
