/** Keeps a second server off a database: two servers on one SQLite file would ruin its runs. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { EverloopError } from '../everloop-error.ts';
import { commandOf } from './process-command.ts';

/** A server whose starter was killed is ended by its watcher within milliseconds of that. */
const farewellMs = 2_000;

/** Notes beside the database which process serves it. */
export async function claimDatabase(databaseFile: string, pid: number): Promise<void> {
  await writeFile(pidFile(databaseFile), `${pid}\n`);
}

/** Takes the note of process `pid` away. */
export async function releaseDatabase(databaseFile: string, pid: number): Promise<void> {
  if ((await claimant(databaseFile)) === pid) await rm(pidFile(databaseFile), { force: true });
}

/**
 * Makes sure that no server process is on the database.
 *
 * @throws EverloopError (`engine_failed`) naming the process that is.
 */
export async function ensureUnserved(databaseFile: string): Promise<void> {
  const pid = await claimant(databaseFile);
  if (pid === undefined) return;
  const patience = Date.now() + farewellMs;
  while (await isServing(pid, databaseFile)) {
    if (Date.now() > patience) {
      throw new EverloopError(
        'engine_failed',
        `process ${pid} is serving the database ${databaseFile} already`,
        { hint: `use the engine that is running, or stop it: kill ${pid}` },
      );
    }
    await delay(50);
  }
}

function pidFile(databaseFile: string): string {
  return `${databaseFile}.pid`;
}

async function claimant(databaseFile: string): Promise<number | undefined> {
  const text = await readFile(pidFile(databaseFile), 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  return pid > 0 ? pid : undefined;
}

/** Process ids are given out again, so the process must also have the database in its command. */
async function isServing(pid: number, databaseFile: string): Promise<boolean> {
  return (await commandOf(pid)).includes(databaseFile);
}
