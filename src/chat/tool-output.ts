/** What a tool gave back. */
import * as z from 'zod/mini';
import { concept } from './concept.ts';
import { JsonValue } from './json.ts';
import { MediaPart } from './media-part.ts';
import { TextPart } from './text-part.ts';

/** One piece of a tool's output: text or media. */
export const ToolContent = z.discriminatedUnion('kind', [TextPart, MediaPart]);
export type ToolContent = z.infer<typeof ToolContent>;

/** Content for the model, structured `details`, or both; `{}` is the empty output. */
export const ToolOutput = concept(
  'invalid_tool_output',
  z.strictObject({ content: z.optional(z.array(ToolContent)), details: z.optional(JsonValue) }),
);
export type ToolOutput = z.infer<typeof ToolOutput>;
