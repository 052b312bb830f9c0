/** Ties a schema to the error code of what it describes. */
import * as z from 'zod/mini';
import type { ChatErrorCode } from './chat-error.ts';

const codes = z.registry<{ code: ChatErrorCode }>();

/** Registers the code with which data that fails this schema is refused. */
export function concept<Schema extends z.ZodMiniType>(code: ChatErrorCode, schema: Schema): Schema {
  codes.add(schema, { code });
  return schema;
}

/** The code of a schema; `invalid_value` for one that names no concept. */
export function codeOf(schema: z.ZodMiniType): ChatErrorCode {
  return codes.get(schema)?.code ?? 'invalid_value';
}
