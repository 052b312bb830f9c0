/** The messages that a state stands for, those in the blob store included. */
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import { translated } from '../client/client-errors.ts';
import { wholeRun } from '../client/whole-run.ts';
import type { Config } from '../config.ts';
import type { LoopState } from '../loop/loop-state.ts';
import { markInherited } from '../loop/mark-inherited.ts';
import type { Runs } from './engine.ts';

/**
 * All messages up to the state: from the blob store, or from the run's histories where it lacks them.
 * @throws EverloopError `blob_missing` when neither has them any more
 */
export async function messagesOf(
  { blobs }: Config,
  { client }: Runs,
  state: LoopState,
): Promise<readonly TranscriptMessage[]> {
  const all = await translated(state.runId, () => wholeRun(client, blobs, state));
  return markInherited(all, state, 0);
}
