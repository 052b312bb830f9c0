/** A root with files and links, and beside it a folder that nothing may reach. */
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** What the file outside says: no result may hold it. */
export const secret = 'the secret outside';

export interface TemporaryTree {
  readonly root: string;
  readonly outside: string;
  /** All paths outside with their contents, to see that nothing has changed. */
  contentsOutside(): Promise<Record<string, string>>;
}

/** Makes the tree; it is removed when the current test has finished. */
export async function temporaryTree(
  files: Readonly<Record<string, string>> = {},
): Promise<TemporaryTree> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'everloop-files-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const root = join(folder, 'root');
  const outside = join(folder, 'outside');
  await mkdir(root);
  await mkdir(join(outside, 'deep'), { recursive: true });
  await writeFile(join(outside, 'secret.txt'), secret);
  await writeFile(join(outside, 'only-outside.txt'), secret);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return { root, outside, contentsOutside: () => contentsOf(outside) };
}

/** Puts links into the root that lead everywhere they should not. */
export async function addHostileLinks({ root, outside }: TemporaryTree): Promise<void> {
  await mkdir(join(root, 'sub'), { recursive: true });
  const links: Record<string, string> = {
    out: outside,
    relative: '../outside',
    stolen: join(outside, 'secret.txt'),
    dangling: join(outside, 'new.txt'),
    up: '..',
    loop: 'loop',
    self: '.',
    inside: 'sub',
    chained: 'out',
    'sub/back': '../..',
    'sub/out': '../out/deep',
  };
  for (const [name, target] of Object.entries(links)) await symlink(target, join(root, name));
}

async function contentsOf(folder: string): Promise<Record<string, string>> {
  const contents: Record<string, string> = {};
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    contents[path] = entry.isFile() ? await readFile(path, 'utf8') : 'folder';
  }
  return contents;
}
