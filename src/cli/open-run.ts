/** Tells an open run something: it has not ended, and for what a run itself answers, a Worker is there. */
import type { RunHandle } from '../client/run-handle.ts';
import type { RunSnapshot } from '../client/run-snapshot.ts';
import type { Config } from '../config.ts';
import { EverloopError } from '../everloop-error.ts';
import { isOpen } from '../loop/run-status.ts';
import type { Runs } from './engine.ts';

/** An open run, and how it stands. */
export interface OpenRun {
  readonly run: RunHandle;
  readonly snapshot: RunSnapshot;
}

/**
 * The run, if it is open.
 * @param what is wanted of it, in a few words: `cancel`
 * @throws EverloopError `run_ending`, `not_found`
 */
export async function openRun({ everloop }: Runs, id: string, what: string): Promise<OpenRun> {
  const run = everloop.run(id);
  const snapshot = await run.snapshot();
  if (isOpen(snapshot.status)) return { run, snapshot };
  throw new EverloopError('run_ending', `run ${id} has ended: there is nothing to ${what}`, {
    hint: `see how it ended: everloop show ${id}`,
  });
}

/**
 * Tells an open run something that it answers itself, over the engine that is running.
 * @param what is wanted of it, in a few words: `approve`
 * @throws EverloopError `run_ending`, `not_found`, `engine_unreachable` also without a Worker, and what `tell` throws
 */
export async function tellRun<T>(
  config: Config,
  id: string,
  what: string,
  tell: (open: OpenRun) => Promise<T>,
): Promise<T> {
  const { runningEngine, withRuns } = await import('./engine.ts');
  const engine = await runningEngine(config);
  return await withRuns(config, engine, async (runs) => {
    const open = await openRun(runs, id, what);
    // An Update is answered by a Worker only: without one it would wait until its deadline.
    if (open.snapshot.workers === 0) {
      throw new EverloopError('engine_unreachable', `no Worker works for run ${id} now`, {
        hint: `start one with: everloop dev (or everloop worker), then ${what} again`,
      });
    }
    return await hinted(id, () => tell(open));
  });
}

/** The run says why it refuses something, and cannot know what to type instead. */
async function hinted<T>(id: string, tell: () => Promise<T>): Promise<T> {
  try {
    return await tell();
  } catch (error) {
    const isBare = error instanceof EverloopError && error.hint === undefined;
    if (!isBare || error.code !== 'rejected') throw error;
    throw new EverloopError(error.code, error.message, {
      hint: `see where the run stands: everloop show ${id}`,
      cause: error,
    });
  }
}
