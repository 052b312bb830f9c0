/** The one way in which a message joins a transcript. */
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import { chainDigest } from './digest.ts';
import type { Transcript } from './loop-state.ts';

/** The transcript with one message more. */
export function push(transcript: Transcript, message: TranscriptMessage): Transcript {
  return {
    ...transcript,
    count: transcript.count + 1,
    digest: chainDigest(transcript.digest, message.id),
    tail: [...transcript.tail, message],
  };
}
