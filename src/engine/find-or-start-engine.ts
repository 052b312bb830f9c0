/** One engine per project, however many commands want one at once. */
import { lock } from 'proper-lockfile';
import { EverloopError } from '../everloop-error.ts';
import type { DevServer } from './dev-server.ts';
import type { EngineHolder, EngineState } from './engine-state.ts';
import { liveEngineState, writeEngineState } from './engine-state.ts';
import type { ProjectDirectory } from './project-directory.ts';
import { makeProjectDirectory } from './project-directory.ts';

/** The project's engine, and who runs it. */
export type FoundEngine =
  /** Another process runs it: use it, leave it. */
  | { readonly status: 'found'; readonly state: EngineState }
  /** This process has started it and stops it. */
  | { readonly status: 'started'; readonly state: EngineState; readonly server: DevServer };

/** A holder renews its lock each second, so one that is silent for ten was killed. */
const lockStaleMs = 10_000;
const lockRenewalMs = 1_000;

/** Together some 75 s: longer than a start may take plus a lock that a killed process left. */
const lockRetries = { retries: 300, factor: 1, minTimeout: 250 };

/**
 * Holds the project's engine lock during `work`; others wait.
 *
 * @throws EverloopError (`engine_failed`) when another process does not let go of it.
 */
export async function withEngineLock<T>(
  directory: ProjectDirectory,
  work: () => Promise<T>,
): Promise<T> {
  await makeProjectDirectory(directory);
  const release = await lock(directory.path, {
    lockfilePath: `${directory.path}/engine.lock`,
    stale: lockStaleMs,
    update: lockRenewalMs,
    retries: lockRetries,
    // Lost when the machine slept; the guard at the database still keeps a second server away.
    onCompromised: () => undefined,
  }).catch((error: unknown) => {
    throw new EverloopError(
      'engine_failed',
      `another command holds the engine lock in ${directory.path}`,
      { hint: 'wait until it has started the engine, or stop it', cause: error },
    );
  });
  try {
    return await work();
  } finally {
    await release().catch(() => undefined);
  }
}

/**
 * Answers with the live engine of the project, or starts one with `start` and writes its state, under
 * a lock: of two commands at once one starts it and the other finds it.
 *
 * @param holder who starts it here; other commands are told
 * @throws EverloopError what `start` throws, and as {@link withEngineLock}.
 */
export async function findOrStartEngine(
  directory: ProjectDirectory,
  start: () => Promise<DevServer>,
  holder?: EngineHolder,
): Promise<FoundEngine> {
  const live = await liveEngineState(directory);
  if (live !== undefined) return { status: 'found', state: live };
  return await withEngineLock(directory, async () => {
    const meanwhile = await liveEngineState(directory);
    if (meanwhile !== undefined) return { status: 'found', state: meanwhile };
    const server = await start();
    const { address, pid, uiAddress } = server;
    const state: EngineState = {
      version: 1,
      address,
      pid,
      ...(uiAddress === undefined ? {} : { uiAddress }),
      workerPids: [],
      ...(holder === undefined ? {} : { holder }),
      startedAt: new Date().toISOString(),
    };
    try {
      await writeEngineState(directory, state);
    } catch (error) {
      // Nobody would know of it.
      await server.stop();
      throw error;
    }
    return { status: 'started', state, server };
  });
}
