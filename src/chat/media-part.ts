/** Media as a piece of a message or of a tool's output. */
import * as z from 'zod/mini';
import { Media } from './media.ts';
import { Metadata } from './metadata.ts';

/** One image, document or sound. */
export const MediaPart = z.strictObject({
  kind: z.literal('media'),
  media: Media,
  metadata: z.optional(Metadata),
});
export type MediaPart = z.infer<typeof MediaPart>;
