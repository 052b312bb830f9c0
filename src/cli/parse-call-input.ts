/** The input of a tool call as a person types it. */
import type { JsonObject } from '../chat/json.ts';
import { EverloopError } from '../everloop-error.ts';

/**
 * The JSON object that the text says.
 * @param where the text comes from, for the error
 * @throws EverloopError `invalid_input`
 */
export function parseCallInput(text: string, where: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw badInput(`${where} is no JSON: ${why}`, error);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badInput(`${where} is no JSON object`);
  }
  return value as JsonObject;
}

function badInput(what: string, cause?: unknown): EverloopError {
  return new EverloopError('invalid_input', what, {
    hint: 'write the whole input of the call, such as \'{"cents":500}\'',
    ...(cause !== undefined && { cause }),
  });
}
