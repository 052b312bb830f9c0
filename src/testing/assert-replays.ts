/** Proves in a test that a run replays with the Workflow code at hand. */
import { AssertionError } from 'node:assert';
import type { Client } from '@temporalio/client';
import { readRawHistory } from '../client/read-history.ts';
import type { ReplayOptions } from '../replay/replay.ts';

/**
 * Replays a run from its server.
 * @throws AssertionError naming the iteration in which the code and the history part
 */
export async function assertReplays(
  client: Client,
  runId: string,
  options: ReplayOptions = {},
): Promise<void> {
  const events = await Array.fromAsync(readRawHistory(client, { runId }));
  // Loads native code, which a configuration with a scripted model has no use for.
  const { replayHistory } = await import('../replay/replay.ts');
  const verdict = await replayHistory(events, runId, options);
  if (verdict.ok) return;
  throw new AssertionError({
    message: `run ${runId} does not replay: iteration ${verdict.iteration}: ${verdict.problem}`,
    expected: verdict.difference?.expected,
    actual: verdict.difference?.found,
  });
}
