import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { folderBytes } from '../../bench/folder-bytes.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'everloop-bytes-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('counts the files of a folder and of those below', async () => {
  expect(await folderBytes(folder)).toBe(0);
  await mkdir(join(folder, 'a', 'b'), { recursive: true });
  await writeFile(join(folder, 'one'), 'x'.repeat(10));
  await writeFile(join(folder, 'a', 'b', 'two'), 'x'.repeat(32));
  expect(await folderBytes(folder)).toBe(42);
});

it('takes a folder that is not there for an empty one', async () => {
  expect(await folderBytes(join(folder, 'nowhere'))).toBe(0);
});
