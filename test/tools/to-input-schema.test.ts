/** What a model is shown of a tool's input. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { toInputSchema } from '../../src/tools/to-input-schema.ts';

describe('the JSON Schema of a tool input', () => {
  it('keeps the order in which the fields were declared, byte for byte', () => {
    const schema = toInputSchema(
      'order',
      z.object({ zeta: z.string().describe('Last letter.'), alpha: z.int().min(1).max(9) }),
    );

    expect(JSON.stringify(schema)).toBe(
      '{"type":"object","properties":{"zeta":{"type":"string","description":"Last letter."},' +
        '"alpha":{"type":"integer","minimum":1,"maximum":9}},"required":["zeta","alpha"]}',
    );
  });

  it('requires every field but optional ones and those with a default', () => {
    const schema = toInputSchema(
      'fields',
      z.object({
        plain: z.string(),
        nullable: z.string().nullable(),
        anything: z.unknown(),
        optional: z.string().optional(),
        withDefault: z.string().default('x'),
      }),
    );

    expect(schema['required']).toEqual(['plain', 'nullable', 'anything']);
  });

  it('leaves refinements to the moment of the call', () => {
    const refined = z.object({ a: z.string().refine((text) => text !== 'no') });

    expect(toInputSchema('refined', refined)).toEqual(
      toInputSchema('plain', z.object({ a: z.string() })),
    );
  });

  it('can describe an input that contains itself', () => {
    const Node = z.object({
      value: z.string(),
      get next() {
        return Node.optional();
      },
    });

    expect(toInputSchema('list', Node)).toMatchObject({ properties: { next: { $ref: '#' } } });
  });

  it.each<[string, z.ZodType, string]>([
    ['date', z.date(), 'input.a: date'],
    ['transform', z.string().transform(Number), 'input.a: transform'],
    ['preprocess', z.preprocess(String, z.string()), 'input.a: transform'],
    [
      'a transform inside a pipe',
      z.string().pipe(z.string().transform(Number).pipe(z.number())),
      'input.a: transform',
    ],
    ['codec', z.stringbool(), 'input.a: codec'],
    ['custom check', z.custom<string>(), 'input.a: custom'],
    ['class instance', z.instanceof(URL), 'input.a: custom'],
    ['file', z.file(), 'input.a: file'],
    ['bigint', z.bigint().optional(), 'input.a: bigint'],
    ['bigint literal', z.literal(1n), 'input.a: literal'],
    ['map', z.map(z.string(), z.string()), 'input.a: map'],
    ['date in a list', z.array(z.date()), 'input.a.items: date'],
    ['date in a union', z.union([z.string(), z.date()]), 'input.a.anyOf.1: date'],
    [
      'date in a field named properties',
      z.object({ properties: z.object({ properties: z.date() }) }),
      'input.a.properties.properties: date',
    ],
  ])('refuses what JSON cannot express and names its place: %s', (_, type, problem) => {
    expect(() => toInputSchema('bad', z.object({ a: type }))).toThrow(
      new TypeError(
        `tool bad: these parts of its input cannot be expressed in JSON Schema: ${problem}`,
      ),
    );
  });

  it('names all problems at once, each once', () => {
    const chained = z.string().transform(Number).pipe(z.number());

    expect(() => toInputSchema('bad', z.object({ a: z.date(), b: chained }))).toThrow(
      /: input\.a: date, input\.b: transform$/,
    );
  });

  it.each<[string, z.ZodType]>([
    ['text', z.string()],
    ['list', z.array(z.string())],
    ['union', z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])],
  ])('refuses an input that is no object: %s', (_, type) => {
    expect(() => toInputSchema('bad', type)).toThrow('tool bad: its input must be an object');
  });
});
