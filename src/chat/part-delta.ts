/** A piece of a part while it is being written. */
import * as z from 'zod/mini';
import { Base64 } from './base64.ts';
import { Citation } from './citation.ts';
import { concept } from './concept.ts';
import { Media } from './media.ts';
import { Metadata } from './metadata.ts';
import { NonEmptyText, Text } from './text.ts';
import { ToolCall } from './tool-call.ts';

const metadata = z.optional(Metadata);
const block = z.optional(z.int().check(z.nonnegative()));

/**
 * More text, more reasoning, more arguments of a call, one piece of media, or a citation of the text
 * before it.
 *
 * `block` is a boundary: neighbours of one kind merge only if they name the same block (or none) and have
 * equal metadata. It is not kept in the finished part. A tool call carries id and name on every delta; a
 * citation cannot carry metadata, for there is no place to keep it. Contract: no code point is split over
 * two deltas.
 */
export const PartDelta = concept(
  'invalid_response',
  z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('text'), text: NonEmptyText, block, metadata }),
    z.strictObject({ kind: z.literal('media'), media: Media, metadata }),
    z
      .strictObject({
        kind: z.literal('reasoning'),
        text: z.optional(Text),
        reasoningState: z.optional(Base64),
        block,
        metadata,
      })
      .check(
        z.refine((delta) => (delta.text ?? '') !== '' || delta.reasoningState !== undefined, {
          error: 'must have text or reasoningState',
        }),
      ),
    z.strictObject({ kind: z.literal('tool_call'), toolCall: ToolCall, metadata }),
    z.strictObject({ kind: z.literal('citation'), citation: Citation }),
    z.strictObject({ kind: z.literal('refusal'), text: NonEmptyText, block, metadata }),
  ]),
);
export type PartDelta = z.infer<typeof PartDelta>;
