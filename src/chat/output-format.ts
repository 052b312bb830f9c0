/** The form that a model's answer must have. */
import * as z from 'zod/mini';
import { concept } from './concept.ts';
import type { JsonObject as JsonObjectType } from './json.ts';
import { JsonObject } from './json.ts';
import { NonEmptyTrimmedText, TrimmedText } from './text.ts';
import { validate } from './validate.ts';

/** Bound on a schema in a request: larger ones are a mistake and would be paid for with every call. */
const maxSchemaBytes = 1024 * 1024;

const Schema = JsonObject.check(
  z.refine((schema) => Object.keys(schema).length > 0, { error: 'must not be empty' }),
  z.refine((schema) => new TextEncoder().encode(JSON.stringify(schema)).length <= maxSchemaBytes, {
    error: 'must be at most 1 MiB of JSON text',
  }),
);

/**
 * Free text, any JSON, or JSON of a schema.
 *
 * The schema must be a JSON object; that it compiles is for whoever validates answers with it to check,
 * because a compiler is too large for the places where this schema is loaded.
 */
export const OutputFormat = concept(
  'invalid_output_format',
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('text') }),
    z.strictObject({ type: z.literal('json') }),
    z.strictObject({
      type: z.literal('json_schema'),
      name: NonEmptyTrimmedText,
      description: z.optional(TrimmedText),
      schema: Schema,
    }),
  ]),
);
export type OutputFormat = z.infer<typeof OutputFormat>;

/**
 * A format that asks for JSON of a schema.
 *
 * @throws ChatError `invalid_output_format`.
 */
export function jsonSchemaFormat(format: {
  name: string;
  description?: string | undefined;
  schema: JsonObjectType;
}): OutputFormat {
  return validate(OutputFormat, { type: 'json_schema', ...format });
}
