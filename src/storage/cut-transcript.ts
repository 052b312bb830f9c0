/** Cuts a transcript at a message, wherever that lies: in the state or in the blob store. */
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import type { Cut, CutProblem } from '../loop/cut-transcript.ts';
import { cutAfter, isWindowEnough } from '../loop/cut-transcript.ts';
import type { Edit } from '../loop/from-point.ts';
import type { Transcript } from '../loop/loop-state.ts';
import type { BlobStore } from './blob-store.ts';
import { readTranscript } from './transcript-store.ts';
import { wholeTranscript } from './whole-transcript.ts';

/** Messages looked at on either side: more than most tool batches have. */
const reach = 32;

/**
 * Cuts after message `at`, or at the nearest valid place.
 * @throws EverloopError `blob_missing`, `blob_store_failed`
 */
export async function cutTranscript(
  blobs: BlobStore,
  transcript: Transcript,
  at: number,
  edit?: Edit,
): Promise<Cut | CutProblem> {
  for (let around = reach; ; around *= 8) {
    const first = Math.max(0, at - around);
    const window = await messagesBetween(blobs, transcript, first, at + around);
    if (isWindowEnough(window, first, at, transcript.count)) {
      return cutAfter(window, first, at, edit);
    }
  }
}

/**
 * The index of the message that is named by it, or by its id; undefined where no message has that id.
 * @throws EverloopError `blob_missing`, `blob_store_failed`
 */
export async function indexOf(
  blobs: BlobStore,
  transcript: Transcript,
  message: number | string,
): Promise<number | undefined> {
  if (typeof message === 'number') return message;
  const { count, tail } = transcript;
  const inTail = tail.findIndex(({ id }) => id === message);
  if (inTail >= 0) return count - tail.length + inTail;
  const all = await wholeTranscript(blobs, transcript);
  const index = all.findIndex(({ id }) => id === message);
  return index < 0 ? undefined : index;
}

async function messagesBetween(
  blobs: BlobStore,
  { sealed, tail, count }: Transcript,
  first: number,
  end: number,
): Promise<readonly TranscriptMessage[]> {
  const before = count - tail.length;
  const kept = tail.slice(Math.max(0, first - before), Math.max(0, end - before));
  if (first >= before || sealed === undefined) return kept;
  const earlier = await readTranscript(blobs, sealed, first, Math.min(end, before));
  return [...earlier, ...kept];
}
