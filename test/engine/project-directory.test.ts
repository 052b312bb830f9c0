import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryProject } from './temporary-project.ts';

it('the project folder is kept out of version control', async () => {
  const directory = await temporaryProject();
  expect(await readFile(join(directory.path, '.gitignore'), 'utf8')).toBe('*\n');
  expect((await readdir(directory.path)).sort()).toEqual(['.gitignore', 'blobs']);
});
