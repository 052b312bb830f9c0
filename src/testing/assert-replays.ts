/** Proves in a test that a run replays with the Workflow code at hand. */
import { AssertionError } from 'node:assert';
import type { Client } from '@temporalio/client';
import { RunHandle } from '../client/run-handle.ts';
import type { ReplayOptions } from '../replay/replay.ts';

/**
 * Replays a run from its server, all its Temporal runs.
 * @throws AssertionError naming the iteration in which the code and the history part
 */
export async function assertReplays(
  client: Client,
  runId: string,
  options: ReplayOptions = {},
): Promise<void> {
  const verdict = await new RunHandle(client, runId).replay(options);
  if (verdict.ok) return;
  throw new AssertionError({
    message: `run ${runId} does not replay: iteration ${verdict.iteration}: ${verdict.problem}`,
    expected: verdict.difference?.expected,
    actual: verdict.difference?.found,
  });
}
