/** The root of a local workspace cannot be left, and what it writes is whole. */

import { execFile } from 'node:child_process';
import {
  chmod,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holdFolder } from '../../../src/abilities/file-tools/held-folder.ts';
import { createLocalWorkspace } from '../../../src/abilities/file-tools/local-workspace.ts';

import { addHostileLinks, secret, temporaryTree } from './temporary-tree.ts';

const bytes = Buffer.from('written');
const isRoot = process.getuid?.() === 0;

const segment = fc.constantFrom(
  '..',
  '.',
  '',
  'out',
  'relative',
  'stolen',
  'dangling',
  'up',
  'loop',
  'self',
  'inside',
  'chained',
  'sub',
  'back',
  'outside',
  'root',
  'deep',
  'secret.txt',
  'new.txt',
  '.git',
  '.GIT',
  'C:',
  '~',
  '%2e%2e',
  '..\\..',
  '\0',
);
const path = fc
  .tuple(
    fc.constantFrom('', '/', './', '../', '\\', '//'),
    fc.array(segment, { maxLength: 6 }),
    fc.constantFrom('/', '//', '\\'),
  )
  .map(([start, segments, separator]) => start + segments.join(separator));

describe('the root of a local workspace', () => {
  it('is not left by any path, through any link', async () => {
    const tree = await temporaryTree({ 'sub/own.txt': 'own' });
    await addHostileLinks(tree);
    const workspace = createLocalWorkspace(tree.root);
    const before = await tree.contentsOutside();
    const ignoreRefusal = () => undefined;

    await fc.assert(
      fc.asyncProperty(path, async (text) => {
        const file = await workspace.read(text).catch(ignoreRefusal);
        const entries = await workspace.list(text).catch(ignoreRefusal);
        await workspace.write(text, bytes).catch(ignoreRefusal);

        expect(Buffer.from(file?.bytes ?? []).toString()).not.toContain(secret);
        expect((entries ?? []).map(({ name }) => name)).not.toContain('only-outside.txt');
        expect(await tree.contentsOutside()).toEqual(before);
        expect((await readdir(join(tree.root, '..'))).sort()).toEqual(['outside', 'root']);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    'out/secret.txt',
    'relative/secret.txt',
    'stolen',
    'chained/secret.txt',
    'sub/back/outside/secret.txt',
  ])('is not left by reading %s, and the refusal names no path of the machine', async (text) => {
    const tree = await temporaryTree();
    await addHostileLinks(tree);
    const read = createLocalWorkspace(tree.root).read(text);

    await expect(read).rejects.toThrow(`${text}: a link on the way leaves the root`);
  });

  it.each(['dangling', 'out/new.txt', 'sub/out/a/b.txt', 'up/new.txt', 'loop', 'loop/x'])(
    'is not left by writing %s',
    async (text) => {
      const tree = await temporaryTree();
      await addHostileLinks(tree);
      const before = await tree.contentsOutside();

      await expect(createLocalWorkspace(tree.root).write(text, bytes)).rejects.toThrow(': a link');
      expect(await tree.contentsOutside()).toEqual(before);
    },
  );

  it('may be a link itself, and links that stay inside are followed', async () => {
    const tree = await temporaryTree({ 'sub/own.txt': 'own' });
    await addHostileLinks(tree);
    const link = join(tree.root, '..', 'link');
    await symlink(tree.root, link);
    const workspace = createLocalWorkspace(link);
    await workspace.write('inside/made.txt', bytes);
    await symlink('sub/own.txt', join(tree.root, 'alias'));
    await workspace.write('alias', bytes);

    expect(await readFile(join(tree.root, 'sub/made.txt'), 'utf8')).toBe('written');
    expect(await readFile(join(tree.root, 'sub/own.txt'), 'utf8')).toBe('written');
    expect(await readlink(join(tree.root, 'alias'))).toBe('sub/own.txt');
  });

  it('keeps .git safe behind links as well', async () => {
    const tree = await temporaryTree({ '.git/config': 'mine' });
    await symlink('.git', join(tree.root, 'innocent'));
    await symlink('.git/config', join(tree.root, 'config'));
    const workspace = createLocalWorkspace(tree.root);

    for (const text of ['innocent/config', 'innocent/hooks/pre-commit', 'config']) {
      await expect(workspace.write(text, bytes)).rejects.toThrow(
        'nothing may be written into .git',
      );
    }
    expect(await readdir(join(tree.root, '.git'))).toEqual(['config']);
    expect(await readFile(join(tree.root, '.git/config'), 'utf8')).toBe('mine');
  });

  it.runIf(process.platform === 'linux')(
    'is not left while somebody swaps a folder for a link',
    async () => {
      const tree = await temporaryTree({ 'folder/secret.txt': 'harmless' });
      const at = (name: string) => join(tree.root, name);
      await symlink(tree.outside, at('link'));
      const before = await tree.contentsOutside();
      const workspace = createLocalWorkspace(tree.root);
      let working = true;
      const swapping = (async () => {
        while (working) {
          await rename(at('folder'), at('aside'));
          await renameOver(at('link'), at('folder'));
          await rename(at('folder'), at('link'));
          await renameOver(at('aside'), at('folder'));
        }
      })();
      const seen = new Set<string>();
      for (let round = 0; round < 300; round += 1) {
        const read = await workspace.read('folder/secret.txt').catch(() => undefined);
        if (read !== undefined) seen.add(Buffer.from(read.bytes).toString());
        await workspace.write('folder/new.txt', bytes).catch(() => undefined);
        await workspace.write('folder/a/b.txt', bytes).catch(() => undefined);
      }
      working = false;
      await swapping;
      seen.add(Buffer.from((await workspace.read('folder/secret.txt')).bytes).toString());

      expect([...seen]).toEqual(['harmless']);
      expect(await tree.contentsOutside()).toEqual(before);
    },
  );

  it.runIf(process.platform === 'linux')(
    'holds on to the folder it opened, whatever takes its name',
    async () => {
      const tree = await temporaryTree({ 'folder/a.txt': 'a' });
      const folder = join(tree.root, 'folder');
      const held = await holdFolder(tree.root, folder, 'folder');
      await rename(folder, join(tree.root, 'moved'));
      await symlink(tree.outside, folder);
      await writeFile(join(held.address, 'b.txt'), 'b');
      await held.close();

      expect((await readdir(join(tree.root, 'moved'))).sort()).toEqual(['a.txt', 'b.txt']);
      await expect(holdFolder(tree.root, folder, 'folder')).rejects.toThrow();
      await expect(holdFolder(tree.root, tree.outside, 'folder')).rejects.toThrow(
        'leaves the root',
      );
    },
  );

  it('says so when it does not exist, without its name', async () => {
    const tree = await temporaryTree();
    await rm(tree.root, { recursive: true });

    await expect(createLocalWorkspace(tree.root).list('')).rejects.toThrow(
      '.: the root of the workspace cannot be opened (ENOENT)',
    );
  });
});

describe('a file of a local workspace', () => {
  it('keeps its permissions when it is replaced', async () => {
    const { root } = await temporaryTree({ 'run.sh': 'old' });
    await chmod(join(root, 'run.sh'), 0o750);
    await createLocalWorkspace(root).write('run.sh', bytes);

    expect((await stat(join(root, 'run.sh'))).mode & 0o777).toBe(0o750);
    expect(await readFile(join(root, 'run.sh'), 'utf8')).toBe('written');
  });

  it.skipIf(isRoot)('is not replaced when it is write-protected', async () => {
    const { root } = await temporaryTree({ 'a.txt': 'old' });
    await chmod(join(root, 'a.txt'), 0o444);

    await expect(createLocalWorkspace(root).write('a.txt', bytes)).rejects.toThrow('permission');
  });

  it('is the old or the new one for every reader, and no half-written file is left or listed', async () => {
    const { root } = await temporaryTree({ 'a.txt': 'x'.repeat(100_000) });
    await writeFile(join(root, '.everloop-00000000-0000-4000-8000-000000000000.tmp'), 'cut short');
    const workspace = createLocalWorkspace(root);
    const writing = Promise.all(
      ['y', 'z', 'x'].map((letter) => workspace.write('a.txt', Buffer.alloc(100_000, letter))),
    );
    for (let round = 0; round < 50; round += 1) {
      const { bytes: seen } = await workspace.read('a.txt');
      expect(new Set(seen).size).toBe(1);
      expect(seen.length).toBe(100_000);
    }
    await writing;

    expect(await workspace.list('')).toEqual([{ name: 'a.txt', kind: 'file' }]);
    expect(await readdir(root)).toHaveLength(2);
  });

  it('leaves nothing behind when it cannot be written', async () => {
    const { root } = await temporaryTree();
    const name = 'n'.repeat(300);

    await expect(createLocalWorkspace(root).write(name, bytes)).rejects.toThrow('name is too long');
    expect(await readdir(root)).toEqual([]);
  });

  it('is no pipe: opening one would wait for ever', async () => {
    const { root } = await temporaryTree();
    await promisify(execFile)('mkfifo', [join(root, 'pipe')]);
    const workspace = createLocalWorkspace(root);

    await expect(workspace.read('pipe')).rejects.toThrow('pipe: not a file');
    await expect(workspace.write('pipe', bytes)).rejects.toThrow('pipe: not a file');
    expect(await workspace.list('')).toEqual([]);
  });

  it('whose name no path can express is not listed', async () => {
    const { root } = await temporaryTree({ 'back\\slash': '', 'C:drive': '', plain: '' });
    await mkdir(join(root, 'folder'));

    expect((await createLocalWorkspace(root).list('')).map(({ name }) => name)).toEqual([
      'folder',
      'plain',
    ]);
  });
});

/** Renames, also where a write has just made the folder that was missing. */
async function renameOver(from: string, to: string): Promise<void> {
  for (;;) {
    try {
      return await rename(from, to);
    } catch {
      await rm(to, { recursive: true, force: true }).catch(() => undefined);
    }
  }
}
