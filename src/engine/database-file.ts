/** The embedded server's database file: fit to be opened, and never half made. */
import { constants } from 'node:fs';
import { access, mkdir, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { EverloopError } from '../everloop-error.ts';

/** The first bytes of each SQLite database. */
const sqliteHeader = 'SQLite format 3\0';

/** What SQLite keeps beside a database in WAL mode belongs to it. */
const companions = ['', '-wal', '-shm'] as const;

/**
 * Makes the folder and makes sure that the server can open the file. The server makes a new file in
 * several steps and cannot go on from between them: until {@link finishDatabaseFile}, a mark
 * beside the file says that it is new, and a file that still has its mark is moved aside.
 *
 * @throws EverloopError (`engine_failed`) when the file cannot be written or is no database.
 */
export async function prepareDatabaseFile(databaseFile: string): Promise<void> {
  let header: string | undefined;
  try {
    await mkdir(dirname(databaseFile), { recursive: true });
    await access(dirname(databaseFile), constants.W_OK);
    const unfinished = (await exists(newMark(databaseFile))) || (await isEmpty(databaseFile));
    if (unfinished) await moveAside(databaseFile);
    header = await readHeader(databaseFile);
    if (header === undefined) await writeFile(newMark(databaseFile), '');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new EverloopError(
      'engine_failed',
      `the database file ${databaseFile} cannot be written: ${why}`,
      {
        hint: 'correct the rights of the file and its folder, or choose another place',
        cause: error,
      },
    );
  }
  if (header !== undefined && header !== sqliteHeader) {
    throw new EverloopError('engine_failed', `${databaseFile} is not a SQLite database`, {
      hint: 'restore it from a copy, or move it away to begin with an empty one',
    });
  }
}

/** Takes the mark of a new file away: a server has served from it. */
export async function finishDatabaseFile(databaseFile: string): Promise<void> {
  await rm(newMark(databaseFile), { force: true });
}

function newMark(databaseFile: string): string {
  return `${databaseFile}.new`;
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

/** The server takes an empty file for one of its own, and fails on it. */
async function isEmpty(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() === true && found.size === 0;
}

/** Moved, not removed: whatever is in it stays with its owner. */
async function moveAside(databaseFile: string): Promise<void> {
  for (const companion of companions) {
    const path = `${databaseFile}${companion}`;
    if (await exists(path)) await rename(path, `${databaseFile}.unfinished${companion}`);
  }
}

/** Opened for writing, too, so that a file without the right to is found here. */
async function readHeader(databaseFile: string): Promise<string | undefined> {
  if (!(await exists(databaseFile))) return undefined;
  const file = await open(databaseFile, 'r+');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(sqliteHeader.length));
    return buffer.subarray(0, bytesRead).toString('latin1');
  } finally {
    await file.close();
  }
}
