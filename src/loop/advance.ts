/** How a command tells what the Workflow decided since the last one: the run's advance. Messages go by reference. */
import * as z from 'zod/mini';
import { TranscriptMessage } from '../chat/transcript-message.ts';

/**
 * One message joining the transcript. A text is a reference to where it stands in history already: `input`
 * (the run's first messages) or the id of the Activity that returned it. What the Workflow made itself (a
 * placeholder) stands nowhere else and is written out.
 */
export const AppendEntry = z.union([z.string(), TranscriptMessage]);
export type AppendEntry = z.infer<typeof AppendEntry>;

/** The members of an advance, for the inputs that tell one. */
export const advanceShape = {
  iteration: z.int(),
  upTo: z.int(),
  append: z.array(AppendEntry),
  received: z.optional(z.array(z.string())),
  digest: z.string(),
};

/**
 * What the Workflow decided since the last command that told it: what was appended, and the user messages (by
 * id) that were taken from the inbox; they follow `append`. `upTo` and `digest` say which transcript it comes to.
 */
export const Advance = z.object(advanceShape);
export type Advance = z.infer<typeof Advance>;
