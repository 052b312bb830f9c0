/** The file tools together: what holds for each of them. */
import { describe, expect, it } from 'vitest';
import { fileTools } from '../../../src/abilities/file-tools/file-tools.ts';
import { createMemoryWorkspace } from '../../../src/abilities/file-tools/memory-workspace.ts';
import type { Workspace } from '../../../src/abilities/file-tools/workspace.ts';
import { run } from './run-file-tool.ts';
import { temporaryTree } from './temporary-tree.ts';

describe('the file tools', () => {
  it('are four, and only writing has an effect', () => {
    expect(fileTools('.').map(({ name, effect }) => [name, effect])).toEqual([
      ['list_files', 'none'],
      ['read_file', 'none'],
      ['search', 'none'],
      ['write_file', 'idempotent'],
    ]);
  });

  it.each([
    ['list_files', { path: '../x' }],
    ['read_file', { path: '../x' }],
    ['search', { path: '../x', pattern: 'a' }],
    ['write_file', { path: '../x', content: 'a' }],
  ])('refuse to leave the root: %s', async (name, input) => {
    const { root } = await temporaryTree();

    await expect(run(root, name, input)).rejects.toThrow(
      '"../x": a path must not contain "..": name the file from the root of the workspace',
    );
  });

  it.each([
    ['list_files', {}],
    ['read_file', { path: 'a.txt' }],
    ['search', { pattern: 'a' }],
    ['write_file', { path: 'b.txt', content: 'a' }],
  ])('stop when the call is cancelled: %s', async (name, input) => {
    const workspace = createMemoryWorkspace({ 'a.txt': 'a' });
    const cancelled = run(workspace, name, input, AbortSignal.abort(new Error('cancelled')));

    await expect(cancelled).rejects.toThrow('cancelled');
    expect(await workspace.list('')).toHaveLength(1);
  });

  it('stop in the middle of a long walk when the call is cancelled', async () => {
    const memory = createMemoryWorkspace({ 'a/x': '', 'b/x': '', 'c/x': '' });
    const controller = new AbortController();
    const listed: string[] = [];
    const workspace: Workspace = {
      ...memory,
      list(folder) {
        listed.push(folder);
        if (folder === 'b') controller.abort(new Error('cancelled'));
        return memory.list(folder);
      },
    };

    await expect(run(workspace, 'list_files', {}, controller.signal)).rejects.toThrow('cancelled');
    expect(listed).toEqual(['', 'a', 'b']);
  });
});
