/** Images, documents and sound in a message. */
import * as z from 'zod/mini';
import { Base64 } from './base64.ts';
import { isMimeType } from './is-mime-type.ts';
import { Metadata } from './metadata.ts';
import { NonBlankText, NonEmptyText, Text } from './text.ts';
import { AbsoluteUri } from './uri.ts';

/**
 * Where the bytes are: inline, at a URI, under a provider's own file id, or in the blob store.
 *
 * A `blob` is resolved to bytes before a request reaches an adapter; `size` is in bytes.
 */
export const MediaSource = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('bytes'), bytes: Base64 }),
  z.strictObject({ kind: z.literal('uri'), uri: AbsoluteUri }),
  z.strictObject({ kind: z.literal('ref'), ref: NonBlankText }),
  z.strictObject({
    kind: z.literal('blob'),
    hash: NonEmptyText,
    size: z.int().check(z.nonnegative()),
  }),
]);
export type MediaSource = z.infer<typeof MediaSource>;

/** One piece of media with its MIME type (parameters allowed). */
export const Media = z.strictObject({
  mime: z.string().check(z.refine(isMimeType, { error: 'must be a MIME type' })),
  source: MediaSource,
  id: z.optional(Text),
  name: z.optional(Text),
  metadata: z.optional(Metadata),
});
export type Media = z.infer<typeof Media>;
