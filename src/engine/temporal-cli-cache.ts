/** Where fetched Temporal CLIs are kept, and how one gets there whole. */
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { inspectTemporalCli } from './inspect-temporal-cli.ts';
import { pinnedTemporalCliVersion } from './temporal-cli-pins.ts';

/** A fetch takes minutes at most; a staging folder this old belongs to a process that was killed. */
const abandonedAfterMs = 60 * 60 * 1000;

const stagingPrefix = 'staging-';

/** Everloop's cache folder after the XDG Base Directory rules, which ignore a relative path. */
export function everloopCacheDirectory(env: Readonly<Record<string, string | undefined>>): string {
  const xdg = env['XDG_CACHE_HOME'];
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, 'everloop');
  return join(env['HOME'] ?? homedir(), '.cache', 'everloop');
}

/** The place of the pinned CLI in the cache, whether it is there or not. */
export function cachedTemporalCli(cacheDirectory: string): string {
  return join(cacheDirectory, 'temporal-cli', pinnedTemporalCliVersion, 'temporal');
}

/**
 * Gives `fetch` an empty folder on the cache's own disk, tries the executable that it names, and
 * moves it to `target`; returns its version. The move is one atomic rename: whoever fetches at the
 * same time, everybody finds a whole file there, and one that is running stays as it is.
 *
 * @throws Error when the fetch fails or brings something unusable; `target` is then untouched.
 */
export async function fetchIntoCache(
  target: string,
  fetch: (staging: string) => Promise<string>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const folder = dirname(target);
  await mkdir(folder, { recursive: true });
  await removeAbandoned(folder);
  const staging = await mkdtemp(join(folder, stagingPrefix));
  try {
    const fetched = await fetch(staging);
    const found = await inspectTemporalCli(fetched, env);
    if (found.status !== 'usable') throw new Error(`brought something unusable: ${found.why}`);
    await rename(fetched, target);
    return found.version;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(stagingPrefix)) continue;
    const path = join(folder, name);
    // Another process may remove it at the same time.
    const age = await stat(path).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (age > abandonedAfterMs) await rm(path, { recursive: true, force: true });
  }
}
