/** Chat data from and to JSON text: decoding is strict, encoding deterministic. */
import type * as z from 'zod/mini';
import { ChatError } from './chat-error.ts';
import { codeOf } from './concept.ts';
import type { JsonValue } from './json.ts';
import { readJson } from './json-text.ts';
import { freeForm, validate } from './validate.ts';

/** Members that are themselves raw JSON, so that even `null` in their place is data. */
const rawValue: ReadonlySet<string> = new Set(['details', 'inputSchema', 'schema']);

/**
 * Decodes JSON text: exactly one value, unknown or duplicate members refused at every level, `null` in
 * place of an optional member read as absent.
 *
 * @throws ChatError with the schema's code.
 */
export function parse<Schema extends z.ZodMiniType>(
  schema: Schema,
  text: string,
): z.output<Schema> {
  const result = readJson(text);
  if (!result.ok) throw new ChatError(codeOf(schema), '', `the JSON text ${result.problem}`);
  return validate(schema, withoutNulls(result.value));
}

/**
 * Encodes a value that satisfies the schema: fixed member order, maps sorted by key, raw JSON in its own
 * order, no `undefined`; equal values give equal text.
 *
 * @throws ChatError with the schema's code; an invalid value has no encoding.
 */
export function encode<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: z.input<Schema>,
): string {
  return JSON.stringify(validate(schema, value));
}

function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const members: [string, JsonValue][] = [];
  for (const [name, member] of Object.entries(value)) {
    if (member === null && !rawValue.has(name)) continue;
    members.push([name, freeForm.has(name) ? member : withoutNulls(member)]);
  }
  return Object.fromEntries(members);
}
