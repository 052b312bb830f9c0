/** Where a text of a model comes from. */
import * as z from 'zod/mini';
import { concept } from './concept.ts';
import { isUriWithHost } from './is-uri.ts';
import { NonEmptyTrimmedText, Text, TrimmedText } from './text.ts';

/** A source cited by a text part: a web address, or a reference that only its provider understands. */
export const Citation = concept(
  'invalid_citation',
  z.strictObject({
    source: z.discriminatedUnion('kind', [
      z.strictObject({
        kind: z.literal('uri'),
        value: NonEmptyTrimmedText.check(
          z.refine(isUriWithHost, { error: 'must be a URI with a scheme and a host' }),
        ),
      }),
      z.strictObject({ kind: z.literal('reference'), value: NonEmptyTrimmedText }),
    ]),
    title: z.optional(TrimmedText),
    quote: z.optional(Text),
  }),
);
export type Citation = z.infer<typeof Citation>;
