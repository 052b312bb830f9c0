/** Workflows and Activities of somebody who has a Worker already, for the tests of the plugin and of `runAgent`. */

import type { Sinks } from '@temporalio/workflow';
import {
  CancellationScope,
  condition,
  defineSignal,
  proxyActivities,
  proxySinks,
  setHandler,
} from '@temporalio/workflow';
import type { RunAgentOptions, RunResult } from '../../src/workflows/index.ts';
import { forkRun, runAgent } from '../../src/workflows/index.ts';

export interface OwnActivities {
  greet(name: string): Promise<string>;
}

export interface OwnSinks extends Sinks {
  notes: { note(text: string): void };
}

const { greet } = proxyActivities<OwnActivities>({ startToCloseTimeout: '10 seconds' });
const { notes } = proxySinks<OwnSinks>();

/** Asks an agent between an Activity and a note of its own. */
export async function report(name: string, options: RunAgentOptions): Promise<string> {
  const greeting = await greet(name);
  const { output, stopReason, iterations } = await runAgent('clerk', options);
  notes.note(`${stopReason} after ${iterations}`);
  return `${greeting} ${output}`;
}

/** The agent's result, as it is. */
export async function ask(agent: string, options: RunAgentOptions): Promise<RunResult> {
  return await runAgent(agent, options);
}

/** Asks an agent, and then its fork something else. */
export async function askAndFork(agent: string, options: RunAgentOptions): Promise<RunResult> {
  const runId = options.workflowId ?? 'unnamed';
  const result = await runAgent(agent, { ...options, workflowId: runId });
  return await forkRun({ runId, ...result }, 'And now?');
}

export const stop = defineSignal('stop');

/** Stops its agent by a scope of its own, and goes on. */
export async function askUntilStopped(agent: string, options: RunAgentOptions): Promise<string> {
  const scope = new CancellationScope();
  setHandler(stop, () => scope.cancel());
  const asked = scope.run(() => runAgent(agent, options));
  const outcome = await asked.then(
    ({ stopReason }) => stopReason,
    (error: unknown) => String(error),
  );
  await condition(() => scope.consideredCancelled);
  return outcome;
}

/** Temporal's Workflow for every other name. */
// biome-ignore lint/style/noDefaultExport: Temporal looks for it under this name
export default async function anything(): Promise<string> {
  return 'whatever';
}
