/** Which paths a glob means. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGlob } from '../../../src/abilities/file-tools/glob.ts';

describe('a glob', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['*.ts', ['a.ts', 'src/deep/a.ts', '.ts'], ['a.tsx', 'a.ts/b']],
    ['./*.ts', ['a.ts', 'src/a.ts'], ['a.js']],
    ['src/*.ts', ['src/a.ts'], ['src/deep/a.ts', 'x/src/a.ts']],
    ['/src/*', ['src/a'], ['a/src/a']],
    ['src/**', ['src/a', 'src/a/b'], ['src', 'srcs/a']],
    ['**/test/*.js', ['test/a.js', 'x/y/test/a.js'], ['test/x/a.js', 'latest/a.js']],
    ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['ab', 'a/xb']],
    ['a?c', ['abc', 'x/a😀c'], ['ac', 'a/c', 'abbc']],
    ['[a-c].[!0-9]', ['a.x', 'c.y'], ['d.x', 'a.1', 'a/x']],
    ['*.{ts,js{,x}}', ['a.ts', 'a.js', 'a.jsx'], ['a.tsx', 'a.{ts}']],
    ['{src,test}/**/*.md', ['src/a.md', 'test/x/y.md'], ['docs/a.md']],
    ['a+(b).$x^', ['a+(b).$x^'], ['ab.x']],
    ['[ab', ['[ab'], ['a']],
    ['[]]x', [']x'], ['x']],
    ['\\*', ['*'], ['a']],
    ['a,b}', ['a,b}'], ['a', 'b}']],
    ['x**y', ['xy', 'xaay'], ['xa/ay']],
  ])('%s', (pattern, matching, others) => {
    const matches = createGlob(pattern);

    expect(matching.filter((path) => !matches(path))).toEqual([]);
    expect(others.filter(matches)).toEqual([]);
  });

  it('that cannot be read is refused with the reason', () => {
    expect(() => createGlob('*.{ts,js')).toThrow('glob "*.{ts,js": a { is not closed');
    expect(() => createGlob('[z-a]')).toThrow(/^glob "\[z-a\]": .*invalid/);
  });

  it('of a path without special characters matches this path', () => {
    const name = fc
      .string({ unit: 'binary', minLength: 1 })
      .map((text) => text.replace(/[/*?[\]{}\\]/g, '-'));
    fc.assert(
      fc.property(name, name, (folder, file) => {
        fc.pre(folder !== '.');
        expect(createGlob(`${folder}/${file}`)(`${folder}/${file}`)).toBe(true);
      }),
    );
  });

  it('either works or is refused, whatever is written', () => {
    const pattern = fc.string({ unit: fc.constantFrom(...'*?[]{},!^-/\\.ab') });
    fc.assert(
      fc.property(pattern, (text) => {
        try {
          expect(createGlob(text)('a/b')).toBeTypeOf('boolean');
        } catch (error) {
          expect(String(error)).toContain('glob ');
        }
      }),
    );
  });

  it('made to take for ever on a backtracking engine is answered', () => {
    expect(createGlob(`${'*a'.repeat(40)}b`)('a'.repeat(250))).toBe(false);
    expect(createGlob(`${'**/a/'.repeat(40)}b`)(`${'a/'.repeat(120)}c`)).toBe(false);
  });
});
