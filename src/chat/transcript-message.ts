/** A message as a run keeps it. */
import * as z from 'zod/mini';
import { concept } from './concept.ts';
import { DateTime } from './date-time.ts';
import { messageShape, partsFitRole } from './message.ts';
import { NonEmptyText } from './text.ts';

/** A message with its identity, as an Activity returns it; joining a transcript gives it its time. */
export const IdentifiedMessage = concept(
  'invalid_message',
  z
    .strictObject({ ...messageShape, id: NonEmptyText, partial: z.optional(z.boolean()) })
    .check(partsFitRole),
);
export type IdentifiedMessage = z.infer<typeof IdentifiedMessage>;

/**
 * A message with its identity and time. `partial`: cut off by a cancel or a steering message;
 * `inherited`: part of the seed of a fork.
 */
export const TranscriptMessage = concept(
  'invalid_message',
  z
    .strictObject({
      ...messageShape,
      id: NonEmptyText,
      createdAt: DateTime,
      partial: z.optional(z.boolean()),
      inherited: z.optional(z.boolean()),
    })
    .check(partsFitRole),
);
export type TranscriptMessage = z.infer<typeof TranscriptMessage>;
