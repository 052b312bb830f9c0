/** The pieces that messages are made of. */
import * as z from 'zod/mini';
import { Base64 } from './base64.ts';
import { concept } from './concept.ts';
import { MediaPart } from './media-part.ts';
import { Metadata } from './metadata.ts';
import { NonEmptyText, Text } from './text.ts';
import { TextPart } from './text-part.ts';
import { ToolCall } from './tool-call.ts';
import { ToolResult } from './tool-result.ts';

/**
 * What a model thought. `reasoningState` (base64) is opaque: it belongs to the adapter that issued it,
 * which marks itself in the part's metadata.
 */
export const ReasoningPart = z
  .strictObject({
    kind: z.literal('reasoning'),
    text: z.optional(Text),
    reasoningState: z.optional(Base64),
    metadata: z.optional(Metadata),
  })
  .check(
    z.refine((part) => (part.text ?? '') !== '' || part.reasoningState !== undefined, {
      error: 'must have text or reasoningState',
    }),
  );
export type ReasoningPart = z.infer<typeof ReasoningPart>;

/** A call that a model proposes. */
export const ToolCallPart = z.strictObject({
  kind: z.literal('tool_call'),
  toolCall: ToolCall,
  metadata: z.optional(Metadata),
});
export type ToolCallPart = z.infer<typeof ToolCallPart>;

/** The result of a call. */
export const ToolResultPart = z.strictObject({
  kind: z.literal('tool_result'),
  toolResult: ToolResult,
  metadata: z.optional(Metadata),
});
export type ToolResultPart = z.infer<typeof ToolResultPart>;

/** The words with which a model declines. */
export const RefusalPart = z.strictObject({
  kind: z.literal('refusal'),
  text: NonEmptyText,
  metadata: z.optional(Metadata),
});
export type RefusalPart = z.infer<typeof RefusalPart>;

/** Any piece of a message, told apart by `kind`; each has exactly the members of its kind. */
export const Part = concept(
  'invalid_part',
  z.discriminatedUnion('kind', [
    TextPart,
    MediaPart,
    ReasoningPart,
    ToolCallPart,
    ToolResultPart,
    RefusalPart,
  ]),
);
export type Part = z.infer<typeof Part>;
