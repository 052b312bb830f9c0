/** How much a folder holds. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Bytes of all files in the folder and in those below; 0 when it is not there. */
export async function folderBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
