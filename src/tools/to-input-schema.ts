/** Derives the JSON Schema that a model is shown from a tool's zod schema. */
import { z } from 'zod';
import { JsonObject } from '../chat/json.ts';

/** zod types whose values no JSON text can express, whose input and output differ, or that only code can check. */
const inexpressible = new Set([
  'bigint',
  'custom',
  'date',
  'file',
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
  const problems = new Set<string>();
  const { $schema: _, ...schema } = z.toJSONSchema(input, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, path }) => {
      const type = inexpressibleType(zodSchema);
      if (type !== undefined) problems.add(`${place(path)}: ${type}`);
    },
  });
  if (problems.size > 0) {
    throw new TypeError(
      `tool ${tool}: these parts of its input cannot be expressed in JSON Schema: ${[...problems].toReversed().join(', ')}`,
    );
  }
  if (schema.type !== 'object') {
    throw new TypeError(`tool ${tool}: its input must be an object, not ${schema.type}`);
  }
  return JsonObject.parse(JSON.parse(JSON.stringify(schema)));
}

function inexpressibleType({ _zod: { def } }: z.core.$ZodTypes): string | undefined {
  switch (def.type) {
    case 'pipe':
      return inexpressibleInPipe(def);
    case 'literal':
      return def.values.some((value) => value === undefined || typeof value === 'bigint')
        ? 'literal'
        : undefined;
    default:
      return inexpressible.has(def.type) ? def.type : undefined;
  }
}

/**
 * A pipe is looked at from both ends: `.transform()` stands at its exit, `preprocess` at its entry. Only its
 * input becomes JSON Schema, so nobody else visits what lies behind; a codec transforms between the two.
 */
function inexpressibleInPipe(def: z.core.$ZodPipeDef): string | undefined {
  const ends = [def.in, def.out].map((end) => inexpressibleType(end as z.core.$ZodTypes));
  return ends.find((type) => type !== undefined) ?? (def.transform && 'codec');
}

/** `properties` is a keyword of JSON Schema, and the segment after it the name of a field. */
function place(path: readonly (string | number)[]): string {
  const names: (string | number)[] = ['input'];
  let isField = false;
  for (const segment of path) {
    if (segment === 'properties' && !isField) isField = true;
    else {
      names.push(segment);
      isField = false;
    }
  }
  return names.join('.');
}
