/** From the text a model wrote as arguments to the input of a tool. */
import type { JsonObject, JsonValue } from './json.ts';
import { readJson } from './json-text.ts';
import type { ToolCall } from './tool-call.ts';
import { isBlank } from './white-space.ts';

/** The input of a call, or what is wrong with its arguments, in words the model can act on. */
export type ToolInput = { ok: true; input: JsonObject } | { ok: false; problem: string };

/**
 * Reads the arguments of a call. Absent, blank and `null` arguments mean `{}`; anything else that is not a
 * JSON object is a problem, and so are duplicate members and integers that would be rounded: a tool must
 * not run with an input the model did not write. Never throws.
 */
export function toolInput(call: Pick<ToolCall, 'arguments'>): ToolInput {
  const text = call.arguments ?? '';
  if (isBlank(text)) return { ok: true, input: {} };
  const result = readJson(text);
  if (!result.ok) return { ok: false, problem: `the arguments text ${result.problem}` };
  if (result.value === null) return { ok: true, input: {} };
  if (isObject(result.value)) return { ok: true, input: result.value };
  return { ok: false, problem: `the arguments must be a JSON object, not ${nameOf(result.value)}` };
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function nameOf(value: JsonValue): string {
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}
