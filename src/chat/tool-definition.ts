/** A tool as the model is told about it. */
import * as z from 'zod/mini';
import { concept } from './concept.ts';
import { JsonObject } from './json.ts';
import { Text } from './text.ts';

const pattern = /^[A-Za-z0-9_-]{1,64}$/;

/** Name of a tool: letters, digits, `_` and `-`, at most 64, which every provider accepts. */
export const ToolName = z
  .string()
  .check(z.refine((name) => pattern.test(name), { error: 'must match [A-Za-z0-9_-]{1,64}' }));

/**
 * Name, purpose and input of a tool. `inputSchema` is a JSON Schema whose top-level `type` is "object";
 * it keeps its member order (prompt caches depend on it) and is not compiled here.
 */
export const ToolDefinition = concept(
  'invalid_tool_definition',
  z.strictObject({
    name: ToolName,
    description: z.optional(Text),
    inputSchema: JsonObject.check(
      z.refine((schema) => schema['type'] === 'object', {
        error: 'must have the top-level type "object"',
      }),
    ),
  }),
);
export type ToolDefinition = z.infer<typeof ToolDefinition>;
