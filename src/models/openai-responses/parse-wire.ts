/** Checks what a server sent, as far as it is read. */
import type * as z from 'zod/mini';
import { invalidResponse } from '../adapter/invalid-response.ts';

/**
 * The value by that schema.
 * @param what names it in the error
 * @throws ModelError `invalid_response`; it names the first member that is wrong
 */
export function parseWire<Value>(
  schema: z.ZodMiniType<Value>,
  value: unknown,
  what: string,
): Value {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw invalidResponse(`${what}: ${issue?.path.join('.') || '(root)'}: ${issue?.message}`);
}
