/** What write_file answers. */
import { describe, expect, it } from 'vitest';
import { run, runIn } from './run-file-tool.ts';
import { temporaryTree } from './temporary-tree.ts';

describe('write_file', () => {
  it('writes the same however often it is repeated, and says the same', async () => {
    const { root } = await temporaryTree();
    const input = { path: './new/é.txt', content: 'grüße\n' };
    const first = await run(root, 'write_file', input);

    expect(first).toBe('wrote new/é.txt (8 bytes)');
    expect(await run(root, 'write_file', input)).toBe(first);
    expect(await run(root, 'read_file', { path: 'new/é.txt' })).toBe('1\tgrüße');
  });

  it('refuses text that UTF-8 cannot hold', async () => {
    await expect(runIn({}, 'write_file', { path: 'a', content: '\ud800' })).rejects.toThrow(
      'send well-formed Unicode',
    );
  });
});
