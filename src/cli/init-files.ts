/** The files of a starter project: where they come from, and how they get into a folder. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Beside `src/` and beside `dist/`. */
const template = fileURLToPath(new URL('../../templates/starter/', import.meta.url));

/** npm leaves the first of these out of a package under its real name; both are kept alike. */
const realNames: Readonly<Record<string, string>> = {
  gitignore: '.gitignore',
  dockerignore: '.dockerignore',
};

/** What was written. Paths are relative to the project. */
export interface WrittenFiles {
  readonly written: readonly string[];
  /** Files that were there, and are as they were. */
  readonly kept: readonly string[];
}

/** Writes the files that `folder` does not have yet; those that it has are kept. */
export async function writeStarter(folder: string): Promise<WrittenFiles> {
  const written: string[] = [];
  const kept: string[] = [];
  const entries = await readdir(template, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  for (const { parentPath, name } of files) {
    const source = join(parentPath, name);
    const path = join(relative(template, parentPath), realNames[name] ?? name);
    const content = await readFile(source, 'utf8');
    const isWritten = await writeNew(
      join(folder, path),
      path === 'package.json' ? named(content, folder) : content,
    );
    (isWritten ? written : kept).push(path);
  }
  return { written: written.toSorted(), kept: kept.toSorted() };
}

/** What the starter installs, as arguments of `npm install`: for a project with a package.json of its own. */
export async function starterDependencies(): Promise<string[]> {
  const manifest: { dependencies: Record<string, string> } = JSON.parse(
    await readFile(join(template, 'package.json'), 'utf8'),
  );
  return Object.entries(manifest.dependencies).map(([name, range]) => `${name}@${range}`);
}

async function writeNew(path: string, content: string): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeFile(path, content, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** The project is named for its folder. */
function named(manifest: string, folder: string): string {
  return manifest.replace('"everloop-starter"', JSON.stringify(toPackageName(folder)));
}

/** What npm takes as a name: lower case, URL-safe, without a dot or underscore in front. */
export function toPackageName(folder: string): string {
  const name = basename(resolve(folder))
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 100);
  return name === '' ? 'agents' : name;
}
