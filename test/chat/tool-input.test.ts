/** Arguments of a call as input of a tool. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toolInput } from '../../src/chat/tool-input.ts';
import { metadata, text } from './arbitraries.ts';

describe('the input of a tool', () => {
  it.each([undefined, '', ' \n\t', 'null', ' null '])('is empty for the arguments %j', (value) => {
    expect(toolInput({ arguments: value })).toEqual({ ok: true, input: {} });
  });

  it('is the object the model wrote', () => {
    fc.assert(
      fc.property(metadata, (input) => {
        expect(toolInput({ arguments: JSON.stringify(input) })).toEqual({ ok: true, input });
      }),
    );
  });

  it.each([
    ['[]', 'the arguments must be a JSON object, not an array'],
    ['""', 'the arguments must be a JSON object, not a string'],
    ['1', 'the arguments must be a JSON object, not a number'],
    ['true', 'the arguments must be a JSON object, not a boolean'],
    ['{"a":', 'the arguments text is not valid JSON'],
    ['{"a":1,"a":2}', 'the arguments text has the member "a" twice'],
    [
      '{"id":9007199254740993}',
      'the arguments text has an integer that cannot be held exactly: 9007199254740993',
    ],
  ])('is a problem for the arguments %s', (value, problem) => {
    expect(toolInput({ arguments: value })).toEqual({ ok: false, problem });
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.oneof(text, fc.json()), (value) => {
        expect(typeof toolInput({ arguments: value }).ok).toBe('boolean');
      }),
    );
  });

  it('pollutes no prototype', () => {
    const result = toolInput({ arguments: '{"__proto__":{"admin":true}}' });
    expect(result.ok && Object.keys(result.input)).toEqual(['__proto__']);
    expect(result.ok && 'admin' in result.input).toBe(false);
  });
});
