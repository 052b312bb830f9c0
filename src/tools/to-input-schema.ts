/** Derives the JSON Schema that a model is shown from a tool's zod schema. */
import { z } from 'zod';
import { JsonObject } from '../chat/json.ts';

/** zod types whose values no JSON text can express, or whose input and output differ. */
const inexpressible = new Set([
  'bigint',
  'date',
  'function',
  'map',
  'nan',
  'promise',
  'set',
  'symbol',
  'transform',
  'undefined',
  'void',
]);

/**
 * JSON Schema (draft 2020-12) of the tool's input, members in declaration order.
 * @throws TypeError when the schema is no object, or holds something that JSON cannot express; names the path
 */
export function toInputSchema(tool: string, input: z.ZodType): JsonObject {
  const problems: string[] = [];
  const { $schema: _, ...schema } = z.toJSONSchema(input, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, path }) => {
      const type = inexpressibleType(zodSchema);
      if (type !== undefined) problems.push(`${place(path)}: ${type}`);
    },
  });
  if (problems.length > 0) {
    throw new TypeError(
      `tool ${tool}: these parts of its input cannot be expressed in JSON Schema: ${problems.join(', ')}`,
    );
  }
  if (schema.type !== 'object') {
    throw new TypeError(`tool ${tool}: its input must be an object, not ${schema.type}`);
  }
  return JsonObject.parse(JSON.parse(JSON.stringify(schema)));
}

/** A pipe is looked at from both ends: `.transform()` stands at its exit, `preprocess` at its entry. */
function inexpressibleType(schema: z.core.$ZodTypes): string | undefined {
  const { def } = schema._zod;
  const types = def.type === 'pipe' ? [def.in._zod.def.type, def.out._zod.def.type] : [def.type];
  return types.find((type) => inexpressible.has(type));
}

function place(path: readonly (string | number)[]): string {
  const names = path.filter((name) => name !== 'properties');
  return ['input', ...names].join('.');
}
