/** What read_file shows of a file. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run, runIn } from './run-file-tool.ts';
import { temporaryTree } from './temporary-tree.ts';

describe('read_file', () => {
  const numbered = (count: number) =>
    Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');

  it('numbers the lines', async () => {
    expect(await runIn({ 'a.txt': 'one\n\nthree' }, 'read_file', { path: 'a.txt' })).toBe(
      '1\tone\n2\t\n3\tthree',
    );
  });

  it('shows a part and says how to read on', async () => {
    const files = { 'a.txt': numbered(10) };

    expect(await runIn(files, 'read_file', { path: 'a.txt', offset: 3, limit: 2 })).toBe(
      '3\tline 3\n4\tline 4\n[more lines follow: read on with offset 5]',
    );
    expect(await runIn(files, 'read_file', { path: 'a.txt', offset: 9, limit: 2 })).toBe(
      '9\tline 9\n10\tline 10',
    );
  });

  it('shows 2,000 lines at most', async () => {
    const text = await runIn({ 'a.txt': numbered(2_001) }, 'read_file', { path: 'a.txt' });

    expect(text.split('\n')).toHaveLength(2_001);
    expect(text).toMatch(/2000\tline 2000\n\[more lines follow: read on with offset 2001\]$/);
  });

  it('reads a file of many pieces to its end, page by page, without losing a line', async () => {
    const files = { 'a.txt': `${'x'.repeat(99)}\n`.repeat(9_000) };
    let shown = 0;
    for (let offset: number | undefined = 1; offset !== undefined; ) {
      const text: string = await runIn(files, 'read_file', { path: 'a.txt', offset });
      const lines = text.split('\n').filter((line) => !line.startsWith('['));
      expect(lines[0]).toBe(`${offset}\t${'x'.repeat(99)}`);
      shown += lines.length;
      const next = /offset (\d+)\]$/.exec(text)?.[1];
      offset = next === undefined ? undefined : Number(next);
    }

    expect(shown).toBe(9_000);
  });

  it('cuts a line that no page can hold', async () => {
    const files = { 'a.js': `${'é'.repeat(60_000)}\nnext` };
    const text = await runIn(files, 'read_file', { path: 'a.js' });

    expect(text).toMatch(/^1\té+ \[… 20200 more characters in this line: use search/);
    expect(text).toMatch(/\n2\tnext$/);
  });

  it('says that a file is empty, or ends before the offset', async () => {
    const files = { empty: '', one: 'x\n' };

    expect(await runIn(files, 'read_file', { path: 'empty' })).toBe('(empty file)');
    await expect(runIn(files, 'read_file', { path: 'one', offset: 2 })).rejects.toThrow(
      'offset 2 is past the end: one has 1 line',
    );
    await expect(runIn(files, 'read_file', { path: 'empty', offset: 2 })).rejects.toThrow(
      'offset 2 is past the end: empty has 0 lines',
    );
  });

  it('tells of endings with CR LF and of bytes that are no UTF-8', async () => {
    const { root } = await temporaryTree();
    await writeFile(join(root, 'latin'), Buffer.from('caf\xe9\r\n', 'latin1'));

    expect(await run(root, 'read_file', { path: 'latin' })).toBe(
      '1\tcaf\ufffd\n[not valid UTF-8: the bytes that are not show as \ufffd]\n[lines end with CR LF]',
    );
  });

  it.each([
    ['\x89PNG\r\n\x1a\n', '(image/png, 8 bytes): images cannot be shown yet'],
    ['GIF89a', '(image/gif, 6 bytes): images cannot be shown yet'],
    ['%PDF-1.7', '(application/pdf, 8 bytes): only text'],
    ['text\0more', '(application/octet-stream, 9 bytes): only text'],
    ['\xff\xfea\0', '(text in UTF-16, 4 bytes): only text'],
  ])('refuses %j with its type and size', async (content, words) => {
    const { root } = await temporaryTree();
    await writeFile(join(root, 'file'), Buffer.from(content, 'latin1'));

    await expect(run(root, 'read_file', { path: 'file' })).rejects.toThrow(`file ${words}`);
  });

  it('sends a model that names a folder to list_files', async () => {
    await expect(runIn({ 'a/b': '' }, 'read_file', { path: 'a' })).rejects.toThrow(
      'a: not a file; list_files shows',
    );
  });
});
