/** A project folder that lives as long as one test. */
import type { EngineState } from '../../src/engine/engine-state.ts';
import type { ProjectDirectory } from '../../src/engine/project-directory.ts';
import { makeProjectDirectory, projectDirectory } from '../../src/engine/project-directory.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** An engine whose processes are gone: no system gives ids as high as these. */
export const deadEngine: EngineState = {
  version: 1,
  address: '127.0.0.1:7233',
  pid: 2_000_000_000,
  workerPids: [2_000_000_001],
  startedAt: '2026-11-30T10:00:00.000Z',
};

/** Makes the folder; it is removed when the current test has finished. */
export async function temporaryProject(): Promise<ProjectDirectory> {
  const directory = projectDirectory(await temporaryFolder());
  await makeProjectDirectory(directory);
  return directory;
}
