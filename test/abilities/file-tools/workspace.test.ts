/** What every workspace promises, whatever holds its files. */
import { describe, expect, it } from 'vitest';
import { createLocalWorkspace } from '../../../src/abilities/file-tools/local-workspace.ts';
import { createMemoryWorkspace } from '../../../src/abilities/file-tools/memory-workspace.ts';
import type { Workspace, WorkspaceProblem } from '../../../src/abilities/file-tools/workspace.ts';
import { WorkspaceError } from '../../../src/abilities/file-tools/workspace.ts';
import { temporaryTree } from './temporary-tree.ts';

const files = { 'a.txt': 'alpha', 'b/c.txt': 'gamma', 'b/d/e.txt': 'epsilon', 'b.txt': 'beta' };

async function textAt(workspace: Workspace, path: string): Promise<string> {
  return Buffer.from((await workspace.read(path)).bytes).toString();
}

async function problemOf(promise: Promise<unknown>): Promise<WorkspaceProblem | undefined> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error !== undefined && !(error instanceof WorkspaceError)) throw error;
  return error?.problem;
}

describe.each<[string, () => Promise<Workspace>]>([
  ['local', async () => createLocalWorkspace((await temporaryTree(files)).root)],
  ['memory', async () => createMemoryWorkspace(files)],
])('a %s workspace', (_, create) => {
  it('lists what is directly in a folder, sorted by name', async () => {
    const workspace = await create();

    expect(await workspace.list('')).toEqual([
      { name: 'a.txt', kind: 'file' },
      { name: 'b', kind: 'folder' },
      { name: 'b.txt', kind: 'file' },
    ]);
    expect(await workspace.list('b/')).toEqual([
      { name: 'c.txt', kind: 'file' },
      { name: 'd', kind: 'folder' },
    ]);
  });

  it('reads a file whole or in part, and tells its size', async () => {
    const workspace = await create();
    const part = async (start: number, length: number) => {
      const { bytes, size } = await workspace.read('a.txt', { start, length });
      return [Buffer.from(bytes).toString(), size];
    };

    expect(await textAt(workspace, './b//d/./e.txt')).toBe('epsilon');
    expect(await part(1, 3)).toEqual(['lph', 5]);
    expect(await part(3, 100)).toEqual(['ha', 5]);
    expect(await part(5, 1)).toEqual(['', 5]);
    expect(await part(500, 1)).toEqual(['', 5]);
  });

  it('replaces a file, and makes one with the folders it needs', async () => {
    const workspace = await create();
    await workspace.write('a.txt', Buffer.from('new'));
    await workspace.write('x/y/z.txt', Buffer.from('made'));
    await workspace.write('x/empty', new Uint8Array());

    expect(await textAt(workspace, 'a.txt')).toBe('new');
    expect(await textAt(workspace, 'x/y/z.txt')).toBe('made');
    expect((await workspace.read('x/empty')).size).toBe(0);
    expect(await workspace.list('x')).toEqual([
      { name: 'empty', kind: 'file' },
      { name: 'y', kind: 'folder' },
    ]);
  });

  it('writes the bytes as they were when it was called back', async () => {
    const workspace = await create();
    const bytes = Buffer.from('before');
    await workspace.write('a.txt', bytes);
    bytes.fill('x');

    expect(await textAt(workspace, 'a.txt')).toBe('before');
  });

  it('keeps the last of several writes to one file, whole', async () => {
    const workspace = await create();
    const contents = Array.from({ length: 20 }, (_, index) => String(index).repeat(5_000));
    await Promise.all(contents.map((text) => workspace.write('n/a.txt', Buffer.from(text))));

    expect(await textAt(workspace, 'n/a.txt')).toBe(contents.at(-1));
    expect(await workspace.list('n')).toHaveLength(1);
  });

  it('has a root whatever it is called, even without files', async () => {
    const workspace = await create();

    expect(await workspace.list('.')).toEqual(await workspace.list(''));
    expect(await workspace.list('./')).toEqual(await workspace.list(''));
  });

  it.each<[string, WorkspaceProblem]>([
    ['missing.txt', 'not_found'],
    ['b/missing/x.txt', 'not_found'],
    ['b', 'not_a_file'],
    ['', 'not_a_file'],
    ['a.txt/x', 'not_a_folder'],
    ['../a.txt', 'outside'],
    ['b/../a.txt', 'outside'],
    ['/etc/passwd', 'outside'],
    ['C:/a.txt', 'outside'],
    ['b\\c.txt', 'outside'],
    ['a.txt\0', 'outside'],
    ['a\ud800', 'outside'],
  ])('refuses to read %j: %s', async (path, problem) => {
    expect(await problemOf((await create()).read(path))).toBe(problem);
  });

  it.each<[string, WorkspaceProblem]>([
    ['missing', 'not_found'],
    ['a.txt', 'not_a_folder'],
    ['a.txt/x', 'not_a_folder'],
    ['..', 'outside'],
    ['/', 'outside'],
  ])('refuses to list %j: %s', async (path, problem) => {
    expect(await problemOf((await create()).list(path))).toBe(problem);
  });

  it.each<[string, WorkspaceProblem]>([
    ['', 'not_a_file'],
    ['b', 'not_a_file'],
    ['new/', 'not_a_file'],
    ['a.txt/x', 'not_a_folder'],
    ['a.txt/x/y', 'not_a_folder'],
    ['../x', 'outside'],
    ['.git/config', 'not_allowed'],
    ['b/.git/hooks/pre-commit', 'not_allowed'],
    ['.GIT/config', 'not_allowed'],
    ['.git', 'not_allowed'],
  ])('refuses to write %j: %s, and makes nothing', async (path, problem) => {
    const workspace = await create();
    const before = await workspace.list('');

    expect(await problemOf(workspace.write(path, Buffer.from('x')))).toBe(problem);
    expect(await workspace.list('')).toEqual(before);
  });

  it('names the path in its refusal', async () => {
    await expect((await create()).read('b/missing.txt')).rejects.toThrow(
      /^b\/missing\.txt: no such/,
    );
  });
});
