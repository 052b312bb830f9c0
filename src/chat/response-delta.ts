/** A piece of a response while it is being written. */
import * as z from 'zod/mini';
import { concept } from './concept.ts';
import { FinishReason } from './finish-reason.ts';
import { Metadata } from './metadata.ts';
import { OutputMetadata } from './output.ts';
import { PartDelta } from './part-delta.ts';
import { ResponseMetadata } from './response.ts';

/**
 * New parts, notes, and at the end the finish reason; never entirely empty. Usage in `metadata` is
 * cumulative: the newest replaces what came before.
 */
export const ResponseDelta = concept(
  'invalid_response',
  z
    .strictObject({
      parts: z.optional(z.array(PartDelta)),
      messageMetadata: z.optional(Metadata),
      finishReason: z.optional(FinishReason),
      outputMetadata: z.optional(OutputMetadata),
      metadata: z.optional(ResponseMetadata),
    })
    .check(
      z.refine(
        (delta) =>
          (delta.parts ?? []).length > 0 ||
          Object.keys(delta.messageMetadata ?? {}).length > 0 ||
          delta.finishReason !== undefined ||
          delta.outputMetadata !== undefined ||
          delta.metadata !== undefined,
        { error: 'must not be empty' },
      ),
    ),
);
export type ResponseDelta = z.infer<typeof ResponseDelta>;
