/** The whole answer to a request. */
import * as z from 'zod/mini';
import { concept } from './concept.ts';
import { DateTime } from './date-time.ts';
import { Metadata } from './metadata.ts';
import { Output } from './output.ts';
import { TrimmedText } from './text.ts';
import { Usage } from './usage.ts';
import { validate } from './validate.ts';

/** What a provider says about an answer: its id and model, tokens, time, and notes. */
export const ResponseMetadata = concept(
  'invalid_response',
  z.strictObject({
    id: z.optional(TrimmedText),
    model: z.optional(TrimmedText),
    usage: z.optional(Usage),
    createdAt: z.optional(DateTime),
    extra: z.optional(Metadata),
  }),
);
export type ResponseMetadata = z.infer<typeof ResponseMetadata>;

/** Output and what is known about it. */
export const Response = concept(
  'invalid_response',
  z.strictObject({ output: Output, metadata: z.optional(ResponseMetadata) }),
);
export type Response = z.infer<typeof Response>;

/**
 * An independent, valid response.
 *
 * @throws ChatError `invalid_response`.
 */
export function createResponse(input: z.input<typeof Response>): Response {
  return validate(Response, input);
}
