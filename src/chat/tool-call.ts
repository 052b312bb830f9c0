/** A model's request to run a tool. */
import * as z from 'zod/mini';
import { concept } from './concept.ts';
import { NonEmptyText, Text } from './text.ts';

/**
 * A proposed call. `id` and `name` are the provider's, without pattern or length limit; `arguments` is
 * the exact text the model wrote, which may be empty, malformed or no object (see `toolInput`).
 */
export const ToolCall = concept(
  'invalid_tool_call',
  z.strictObject({ id: NonEmptyText, name: NonEmptyText, arguments: z.optional(Text) }),
);
export type ToolCall = z.infer<typeof ToolCall>;
