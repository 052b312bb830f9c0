/** Where the messages of a run lie outside its history. */
import * as z from 'zod/mini';

/** The first `messages` messages of a run, in the blob store: `hash` is the blob that lists its segments. */
export const TranscriptRef = z.object({
  hash: z.string(),
  messages: z.int(),
  /** Bytes of all segments. */
  bytes: z.int(),
});
export type TranscriptRef = z.infer<typeof TranscriptRef>;
