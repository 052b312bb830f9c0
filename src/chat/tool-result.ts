/** The answer to a tool call. */
import * as z from 'zod/mini';
import { concept } from './concept.ts';
import { NonEmptyText } from './text.ts';
import { ToolOutput } from './tool-output.ts';

/** Output of the call with the same `id`; `isError` tells the model that the call did not work. */
export const ToolResult = concept(
  'invalid_tool_result',
  z.strictObject({
    id: NonEmptyText,
    name: NonEmptyText,
    output: ToolOutput,
    isError: z.optional(z.boolean()),
  }),
);
export type ToolResult = z.infer<typeof ToolResult>;
