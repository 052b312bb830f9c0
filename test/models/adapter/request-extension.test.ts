/** How members that only one API has come into a request. */
import { describe, expect, it } from 'vitest';
import type { Extensions } from '../../../src/chat/extensions.ts';
import { withExtension } from '../../../src/models/adapter/request-extension.ts';

const owned = new Set(['model', 'output.format']);
const body = { model: 'm', output: { format: 'text' }, stream: true };
const merge = (extensions: Extensions | undefined) =>
  withExtension(body, extensions, { namespace: 'toy', owned });

describe('an extension', () => {
  it('that is absent, or of another adapter, changes nothing', () => {
    expect(merge(undefined)).toBe(body);
    expect(merge({ 'other/request': { model: 'x' } })).toBe(body);
  });

  it('adds its members in alphabetical order, and merges objects member by member', () => {
    const merged = merge({ 'toy/request': { z: 1, output: { depth: 2 }, a: null } });
    expect(JSON.stringify(merged)).toBe(
      '{"model":"m","output":{"format":"text","depth":2},"stream":true,"a":null,"z":1}',
    );
  });

  it.each<[Extensions, string]>([
    [{ 'toy/request': { model: 'x' } }, '["toy/request"].model'],
    [{ 'toy/request': { output: { format: 'x' } } }, '["toy/request"].output.format'],
    [{ 'toy/request': { output: 'x' } }, '["toy/request"].output'],
    [{ 'toy/request': { output: ['x'] } }, '["toy/request"].output'],
    [{ 'toy/request': 'x' }, '["toy/request"]'],
    [{ 'toy/other': {} }, '["toy/other"]'],
  ])('%j is refused', (extensions, where) => {
    expect(() => merge(extensions)).toThrow(
      expect.objectContaining({ name: 'ChatError', path: `options.extensions${where}` }),
    );
  });
});
