/** JSON data inside chat data: details of a result, values of metadata, JSON Schemas. */
import * as z from 'zod/mini';
import { copyJson } from './copy-json.ts';

/** Any JSON value. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

/** A JSON object. */
export type JsonObject = { [name: string]: JsonValue };

/**
 * Schema of any JSON value; what it returns is an independent copy.
 *
 * Raw JSON is kept as a parsed value, not as text: Temporal, the HTTP API and tools all want values.
 * So that nothing is lost by that, numbers that JavaScript would round, lone surrogates and (when read
 * from text) duplicate names are refused instead of altered.
 */
export const JsonValue = z.custom<JsonValue>().check(z.check<JsonValue>(asJson));

/** Schema of a JSON object; member order is kept. */
export const JsonObject = z.custom<JsonObject>().check(
  z.check<JsonObject>((payload) => {
    if (isObject(payload.value)) asJson(payload);
    else payload.issues.push(customIssue(payload.value, 'must be a JSON object'));
  }),
);

/**
 * A JSON object whose top level is a map: its keys are checked one by one and come back sorted, so that
 * equal maps have equal bytes.
 */
export function jsonMap(keyProblem: (key: string) => string | undefined) {
  return JsonObject.check(
    z.check<JsonObject>((payload) => {
      const keys = Object.keys(payload.value).sort();
      for (const key of keys) {
        const problem = keyProblem(key);
        if (problem !== undefined) {
          payload.issues.push({ ...customIssue(payload.value, problem), path: [key] });
          return;
        }
      }
      payload.value = sortMap(payload.value, keys);
    }),
  );
}

function sortMap(map: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(keys.map((key) => [key, map[key] ?? null]));
}

function asJson(payload: z.core.ParsePayload<JsonValue>): void {
  const result = copyJson(payload.value);
  if (result.ok) payload.value = result.value;
  else payload.issues.push({ ...customIssue(payload.value, result.problem), path: result.path });
}

function customIssue(input: unknown, message: string) {
  return { code: 'custom' as const, input, message, path: [] as (string | number)[] };
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
