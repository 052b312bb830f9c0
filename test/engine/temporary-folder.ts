/** A folder that lives as long as one test. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Makes the folder; it is removed when the current test has finished. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'everloop-engine-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
