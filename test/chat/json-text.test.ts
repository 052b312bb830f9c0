/** Strict reading of JSON text. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJson } from '../../src/chat/json-text.ts';
import { json } from './arbitraries.ts';

const problem = (text: string) => {
  const result = readJson(text);
  return result.ok ? undefined : result.problem;
};

describe('reading JSON text', () => {
  it('gives back every value that was written', () => {
    fc.assert(
      fc.property(json, fc.constantFrom(undefined, 2), (value, indent) => {
        expect(readJson(JSON.stringify(value, undefined, indent))).toEqual({ ok: true, value });
      }),
    );
  });

  it.each(['', ' ', '{', '{} {}', '[1,]', "{'a':1}", 'NaN', '01', '"\n"', 'nul', '\ufeff{}'])(
    'refuses what is not exactly one JSON value: %j',
    (text) => {
      expect(problem(text)).toBe('is not valid JSON');
    },
  );

  it.each([
    '{"a":1,"a":2}',
    '{"a":1,"\\u0061":2}',
    '[{"x":{"a":[1,{"b":0}],"a":2}}]',
    '{"":1,"b":"}","":2}',
    '{"__proto__":1,"__proto__":2}',
  ])('refuses a member that comes twice at any depth: %s', (text) => {
    expect(problem(text)).toContain('twice');
  });

  it('lets the same name stand in different objects and in strings', () => {
    expect(problem('{"a":{"a":1},"b":[{"a":1},{"a":2}],"c":"a","d":"\\"a\\":1,"}')).toBeUndefined();
  });

  it.each(['"\\ud800"', '"\\udc00\\ud800"', `"${'\ud83d'}"`, '{"\\ud800":1}', '["\\\\\\ud800"]'])(
    'refuses a lone surrogate: %j',
    (text) => {
      expect(problem(text)).toBe('contains a lone surrogate');
    },
  );

  it('accepts surrogate pairs, escaped backslashes and quotes', () => {
    expect(readJson('["\\ud83c\\udf89","\\\\","\\\\\\"x","\\\\ud800"]')).toEqual({
      ok: true,
      value: ['🎉', '\\', '\\"x', '\\ud800'],
    });
  });

  it.each(['9007199254740993', '-9007199254740992', '[1e20]', '{"a":12345678901234567890123}'])(
    'refuses an integer that would be rounded: %s',
    (text) => {
      expect(problem(text)).toContain('cannot be held exactly');
    },
  );

  it('accepts safe integers, fractions and floats by notation', () => {
    expect(problem('[9007199254740991,-9007199254740991,0.1,1e-7,1.5e300,-0]')).toBeUndefined();
  });

  it('refuses a number out of range', () => {
    expect(problem('1e400')).toContain('out of range');
  });

  it('refuses nesting that could overflow a reader', () => {
    expect(problem('['.repeat(1000) + ']'.repeat(1000))).toBeUndefined();
    expect(problem('['.repeat(1001) + ']'.repeat(1001))).toContain('deeper than 1000');
  });

  it('keeps a member named __proto__ as data', () => {
    const result = readJson('{"__proto__":{"admin":true}}');
    const value = result.ok ? result.value : null;
    expect(Object.keys(value ?? {})).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});
