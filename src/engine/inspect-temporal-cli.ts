/** Finds out whether a file is a Temporal CLI that Everloop can use. */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { runCommand } from './run-command.ts';
import { oldestTemporalCliVersion } from './temporal-cli-pins.ts';

/** What a file turned out to be. */
export type TemporalCliInspection =
  | { readonly status: 'usable'; readonly version: string }
  | { readonly status: 'missing'; readonly why: 'no such file' }
  | { readonly status: 'unusable'; readonly why: string };

/** The CLI prints its version in 0.1 s; a loaded machine with a cold disk gets a hundred times that. */
const versionTimeoutMs = 10_000;

/** Runs `path --version` and judges the answer; it never throws. */
export async function inspectTemporalCli(
  path: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<TemporalCliInspection> {
  try {
    await access(path, constants.X_OK);
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return missing
      ? { status: 'missing', why: 'no such file' }
      : { status: 'unusable', why: 'not an executable file' };
  }
  const result = await runCommand(path, ['--version'], { env, timeoutMs: versionTimeoutMs });
  if (result.status === 'failed') {
    return { status: 'unusable', why: `\`--version\` failed (${result.why})` };
  }
  const version = /^temporal version v?(\d+\.\d+\.\d+)/m.exec(result.output)?.[1];
  if (version === undefined) {
    return { status: 'unusable', why: 'does not print the version of a Temporal CLI' };
  }
  if (isOlder(version, oldestTemporalCliVersion)) {
    return {
      status: 'unusable',
      why: `version ${version} is too old, ${oldestTemporalCliVersion} or newer is needed`,
    };
  }
  return { status: 'usable', version };
}

/** Whether version `a` came before version `b`; both are `major.minor.patch`. */
export function isOlder(a: string, b: string): boolean {
  return a.localeCompare(b, 'en', { numeric: true }) < 0;
}
