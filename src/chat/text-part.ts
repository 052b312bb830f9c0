/** Visible text with its citations. */
import * as z from 'zod/mini';
import { Citation } from './citation.ts';
import { Metadata } from './metadata.ts';
import { NonEmptyText } from './text.ts';

/** Non-empty text; white space alone is text too. */
export const TextPart = z.strictObject({
  kind: z.literal('text'),
  text: NonEmptyText,
  citations: z.optional(z.array(Citation)),
  metadata: z.optional(Metadata),
});
export type TextPart = z.infer<typeof TextPart>;
