/** Finds out where a run would be cut, before anything is started. */
import type { Client } from '@temporalio/client';
import { EverloopError } from '../everloop-error.ts';
import type { Cut } from '../loop/cut-transcript.ts';
import { cutAfter } from '../loop/cut-transcript.ts';
import type { Edit } from '../loop/from-point.ts';
import type { LoopState } from '../loop/loop-state.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import { wholeRun } from './whole-run.ts';

/**
 * The index of the message, and the cut after it.
 * @param at index of a message, or its id
 * @throws EverloopError `not_found` when there is no such message, `invalid_input` for an edit that would break the transcript, `blob_missing`
 */
export async function cutRun(
  client: Client,
  blobs: BlobStore | undefined,
  state: LoopState,
  at: number | string,
  edit?: Edit,
): Promise<{ readonly index: number; readonly cut: Cut }> {
  const { runId } = state;
  const all = await wholeRun(client, blobs, state);
  const index = typeof at === 'number' ? at : all.findIndex(({ id }) => id === at);
  if (all[index] === undefined) {
    throw new EverloopError('not_found', `run ${runId} has no message ${at}`, {
      hint: `it has ${all.length}, counted from 0: everloop show ${runId} --full`,
    });
  }
  const cut = cutAfter(all, 0, index, edit);
  if ('keep' in cut) return { index, cut };
  throw new EverloopError('invalid_input', `run ${runId} cannot go on from there: ${cut.text}`, {
    hint: 'give the message another text, or choose another message',
  });
}
