/** What list_files shows of a tree. */
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run, runIn } from './run-file-tool.ts';
import { temporaryTree } from './temporary-tree.ts';

describe('list_files', () => {
  const files = {
    '.git/config': '',
    '.gitignore': 'dist/\n*.log\n!keep.log\n/only-here\n',
    'a.log': '',
    'a-b.ts': '',
    'a/b.ts': '',
    'a/.gitignore': 'local\n!loud.log\n',
    'a/local': '',
    'a/loud.log': '',
    'a/only-here': '',
    'a.ts': '',
    'dist/out.js': '',
    'keep.log': '',
    'node_modules/zod/index.js': '',
    'only-here': '',
    local: '',
  };

  it('lists what is not ignored, sorted by path', async () => {
    expect((await runIn(files, 'list_files', {})).split('\n')).toEqual([
      '.gitignore',
      'a-b.ts',
      'a.ts',
      'a/.gitignore',
      'a/b.ts',
      'a/loud.log',
      'a/only-here',
      'keep.log',
      'local',
    ]);
  });

  it('lists ignored files when asked, but never .git', async () => {
    const listed = (await runIn(files, 'list_files', { includeIgnored: true })).split('\n');

    expect(listed).toEqual(
      Object.keys(files)
        .filter((path) => path !== '.git/config')
        .sort(),
    );
  });

  it('lists a folder that is ignored itself when it is named', async () => {
    expect(await runIn(files, 'list_files', { path: 'node_modules/zod' })).toBe(
      'node_modules/zod/index.js',
    );
    expect(await runIn(files, 'list_files', { path: 'dist' })).toBe('dist/out.js');
  });

  it('keeps to the rules of the folders above the one that is named', async () => {
    const above = { '.gitignore': '*.log', 'a/b/x.log': '', 'a/b/y.txt': '' };

    expect(await runIn(above, 'list_files', { path: 'a/b' })).toBe('a/b/y.txt');
  });

  it('lists what matches a pattern, seen from the folder', async () => {
    expect(await runIn(files, 'list_files', { pattern: '*.ts' })).toBe('a-b.ts\na.ts\na/b.ts');
    expect(await runIn(files, 'list_files', { path: 'a', pattern: '/b.*' })).toBe('a/b.ts');
  });

  it('says how many more there are', async () => {
    expect(await runIn(files, 'list_files', { limit: 2 })).toBe(
      '.gitignore\na-b.ts\n[7 more: name a deeper path or a narrower pattern]',
    );
  });

  it('says that there is nothing', async () => {
    expect(await runIn({}, 'list_files', {})).toBe('no files in .');
    expect(await runIn(files, 'list_files', { path: 'a', pattern: '*.md' })).toBe(
      'no file matches the pattern in a',
    );
  });

  it('sends a model that names a file to read_file by its words', async () => {
    await expect(runIn(files, 'list_files', { path: 'a.ts' })).rejects.toThrow(
      'a.ts: a file, not a folder',
    );
  });

  it('names links and does not follow them', async () => {
    const { root, outside } = await temporaryTree({ 'sub/a.txt': '' });
    await symlink(outside, join(root, 'out'));
    await symlink('sub', join(root, 'twin'));

    expect(await run(root, 'list_files', {})).toBe('out (link)\nsub/a.txt\ntwin (link)');
  });

  it('shows control characters of a name as escapes, so that none can forge a line', async () => {
    expect(await runIn({ 'a\nb': '' }, 'list_files', {})).toBe('a\\u000ab');
  });

  it('is not held up by a .gitignore written to take for ever', async () => {
    const deep = `${'a/'.repeat(60)}c`;
    const hostile = { '.gitignore': `${'/**/a'.repeat(12)}/b\n*.log`, [deep]: '', 'x.log': '' };

    expect(await runIn(hostile, 'list_files', {})).toBe(`.gitignore\n${deep}`);
  });

  it('does not go down for ever', async () => {
    const deep = `${'a/'.repeat(70)}c`;

    expect(await runIn({ [deep]: '' }, 'list_files', {})).toContain(
      '[did not look deeper than a/a/',
    );
  });

  it('keeps to one page however long the paths are', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 600 }, (_, index) => [`${'n'.repeat(200)}${1_000 + index}`, '']),
    );
    const listed = await runIn(many, 'list_files', { limit: 600 });

    expect(listed.length).toBeLessThan(41_000);
    expect(listed).toMatch(/\n\[405 more: /);
  });
});
