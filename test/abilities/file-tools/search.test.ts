/** What search finds, and how it stays within bounds. */
import { describe, expect, it } from 'vitest';
import { createMemoryWorkspace } from '../../../src/abilities/file-tools/memory-workspace.ts';
import { createSearch } from '../../../src/abilities/file-tools/search.ts';
import { runIn, runTool } from './run-file-tool.ts';

describe('search', () => {
  const files = {
    'a.ts': 'const a = 1;\nconst b = 2;\n',
    'b.md': 'Const of nature\r\nend\r\n',
    'dist/a.js': 'const built = 1;',
    '.gitignore': 'dist',
  };

  it('shows file, line and text of each match', async () => {
    expect(await runIn(files, 'search', { pattern: 'const \\w' })).toBe(
      'a.ts:1: const a = 1;\na.ts:2: const b = 2;',
    );
  });

  it('can ignore case, keep to a glob, and look into what is ignored', async () => {
    const pattern = 'const';

    expect(await runIn(files, 'search', { pattern, ignoreCase: true, glob: '*.md' })).toBe(
      'b.md:1: Const of nature',
    );
    expect(await runIn(files, 'search', { pattern, includeIgnored: true, path: '.' })).toContain(
      'dist/a.js:1: const built',
    );
  });

  it('sees each line by itself, without its ending', async () => {
    expect(await runIn(files, 'search', { pattern: '^end$' })).toBe('b.md:2: end');
    expect(await runIn(files, 'search', { pattern: '1;.*const' })).toBe('no matches');
    expect(await runIn({ a: 'x\n' }, 'search', { pattern: '^$' })).toBe('no matches');
  });

  it('searches a file that is named, even an ignored one', async () => {
    expect(
      await runIn(files, 'search', { pattern: 'built', path: 'dist/a.js', glob: '*.js' }),
    ).toBe('dist/a.js:1: const built = 1;');
    await expect(runIn(files, 'search', { pattern: 'a', path: 'gone' })).rejects.toThrow(
      'gone: no such',
    );
    await expect(runIn(files, 'search', { pattern: 'a', path: 'a.ts/b' })).rejects.toThrow('a.ts');
  });

  it('stops at the number of matches asked for and says that there are more', async () => {
    const two = { 'a.txt': 'x\nx\nx\n' };

    expect(await runIn(two, 'search', { pattern: 'x', maxMatches: 2 })).toBe(
      'a.txt:1: x\na.txt:2: x\n[there are more matches: narrow the pattern, path or glob]',
    );
    expect(await runIn(two, 'search', { pattern: 'x', maxMatches: 3 })).not.toContain(
      'more matches',
    );
  });

  it('shows of a long line the stretch that matches, cut on code points', async () => {
    const line = `${'😀'.repeat(1_000)}needle${'😀'.repeat(1_000)}`;
    const shown = await runIn({ a: line }, 'search', { pattern: 'needle' });

    expect(shown).toMatch(/^a:1: …(😀)+needle(😀)+…$/u);
    expect(shown.isWellFormed()).toBe(true);
    expect(shown.length).toBeLessThan(320);
  });

  it('says which lines it searched in part', async () => {
    const line = `${'x'.repeat(20_000)}needle`;

    expect(await runIn({ a: line }, 'search', { pattern: 'needle' })).toBe(
      'no matches\n[a:1 is searched in its first 20000 characters only]',
    );
  });

  it('counts what it skipped', async () => {
    const skipped = { big: 'x'.repeat(4 * 2 ** 20 + 1), binary: 'x\0', other: 'x\0', text: 'x' };

    expect(await runIn(skipped, 'search', { pattern: 'x' })).toBe(
      'text:1: x\n[skipped 1 larger than 4 MiB]\n[skipped 2 binary]',
    );
  });

  it.each([
    ['(', 'pattern: error parsing regexp: missing closing )'],
    ['a(?=b)', 'It is read as RE2: no lookaround, no backreferences'],
    ['(a)\\1', 'It is read as RE2: no lookaround, no backreferences'],
    ['([xy]?){1000}', 'its repetitions multiply to too much'],
    ['a'.repeat(1_001), 'longer than 1000 characters'],
  ])('refuses %s and says why', async (pattern, words) => {
    await expect(runIn(files, 'search', { pattern })).rejects.toThrow(words);
  });

  it('answers a pattern made to take for ever on a backtracking engine', async () => {
    const text = { a: `${'a'.repeat(10_000)}!` };

    expect(await runIn(text, 'search', { pattern: '^(a+)+$' })).toBe('no matches');
    expect(await runIn(text, 'search', { pattern: '^(a|aa)*b?$' })).toBe('no matches');
  });

  it('ends with what it has when its time is over', async () => {
    let clock = 0;
    const many = createMemoryWorkspace({ a: 'x', b: 'x\nx', c: 'x' });
    const search = createSearch(many, () => {
      clock += 5_000;
      return clock;
    });
    const text = await runTool(search, { pattern: 'x' });

    expect(text).toMatch(/^a:1: x\n/);
    expect(text).toMatch(/\[stopped after 40 seconds: narrow the path or glob\]$/);
    expect(text).not.toContain('c:1');
  });

  it('lets others run while it works, and notices a cancel among lines', async () => {
    const controller = new AbortController();
    let clock = 0;
    const search = createSearch(createMemoryWorkspace({ a: 'x\n'.repeat(1_000) }), () => {
      clock += 1;
      return clock;
    });
    const searching = runTool(search, { pattern: 'y' }, controller.signal);
    setImmediate(() => controller.abort(new Error('cancelled')));

    await expect(searching).rejects.toThrow('cancelled');
  });
});
