/** The whole transcript of a state: what is sealed, and what came after it. */
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import type { Transcript } from '../loop/loop-state.ts';
import type { BlobStore } from './blob-store.ts';
import { readTranscript } from './transcript-store.ts';

/**
 * All messages of the transcript, in order.
 * @throws EverloopError `blob_missing`, `blob_store_failed`
 */
export async function wholeTranscript(
  blobs: BlobStore,
  { sealed, tail, count }: Transcript,
): Promise<readonly TranscriptMessage[]> {
  const before = count - tail.length;
  if (before === 0 || sealed === undefined) return tail;
  const messages = await readTranscript(blobs, sealed);
  return [...messages.slice(0, before), ...tail];
}
