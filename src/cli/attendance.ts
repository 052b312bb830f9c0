/** Stays with a run to its end, with engine and Worker in this process where no other process has them. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { liveEngineState } from '../engine/engine-state.ts';
import { ConfigurationError } from '../everloop-error.ts';
import type { RunResult } from '../loop/run-result.ts';
import { createLocalEventBus } from '../storage/event-bus.ts';
import type { Attendant, Desk } from './attendant.ts';
import { devGraceMs } from './dev.ts';
import type { Engine, Runs } from './engine.ts';
import { connectRuns, engineAgain, hasWorker, leaveEngine, willHaveWorker } from './engine.ts';
import { followTree } from './follow-tree.ts';
import { Interrupted } from './interrupted.ts';
import type { LocalWorker } from './local-worker.ts';
import { withProgress } from './progress.ts';
import type { RunView } from './run-view.ts';
import type { Terminal } from './terminal.ts';
import { writeNote } from './terminal.ts';
import { whoDecides } from './who-decides.ts';
import { checkKeyOf } from './worker-problems.ts';

/** A run as far as its attendance needs to know it. */
interface AttendedRun {
  readonly id: string;
  readonly agent: string;
}

/** The stay with a run. */
export interface Attendance {
  /**
   * Follows the run to its end, and its sub-agents for as long: the attendant sees to their calls, too.
   * @throws Interrupted when the terminal is, after saying how the run goes on; ConfigurationError when a Worker
   * is needed here and its key is missing; EverloopError `not_found`, `terminated`, `engine_failed`
   */
  follow(run: AttendedRun, view: RunView, attendant: Attendant): Promise<RunResult>;
  /** Gives to runs what a person has said, wherever their engine is by then. */
  readonly desk: Desk;
  /** Stops what runs in this process. */
  end(): Promise<void>;
}

/** A person has asked to be let go: what is not known by then is called unknown. */
const farewellMs = 2_000;

/** Attends on `first`, and on the engines that take its place. Contract: `end` is called, whatever happens. */
export function createAttendance(terminal: Terminal, config: Config, first: Engine): Attendance {
  const bus = createLocalEventBus();
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => undefined);
  let engine = first;
  let worker: { readonly running: LocalWorker; readonly address: string } | undefined;

  const watchEngine = () => {
    if (engine.owner === 'self') engine.own.failed.catch(failure.reject);
  };
  watchEngine();

  const findEngine = async () => {
    if (engine.owner !== 'other') return;
    engine = await engineAgain(terminal, config, 'run');
    watchEngine();
    if (engine.owner !== 'self') return;
    writeNote(
      terminal,
      'The process that ran the engine has ended: engine and Worker go on in this one.',
    );
  };

  const isWorkerNeeded = async () => {
    if (engine.owner === 'remote') return false;
    return engine.owner === 'self' || worker !== undefined || !(await willHaveWorker(engine.state));
  };

  const startWorker = async (agent: string) => {
    const { address } = engine.address;
    if (worker?.address === address) return;
    checkKeyOf(config, agent);
    // Its server is gone: it has nothing to say to anybody, and nobody waits for it.
    worker?.running.stop().catch(() => undefined);
    const { startLocalWorker } = await import('./local-worker.ts');
    const running = await withProgress(terminal, 'starting the Worker', () =>
      startLocalWorker(terminal, config, {
        address: engine.address,
        profile: 'embedded',
        bus,
        graceMs: devGraceMs,
      }),
    );
    worker = { running, address };
    running.failed.catch((error: unknown) => {
      if (worker?.running === running) failure.reject(error);
    });
    if (engine.owner === 'self') await engine.own.announceWorker();
  };

  const isWorkerElsewhere = async (run: AttendedRun) => {
    if (engine.owner !== 'remote') {
      const state = await liveEngineState(config.project, farewellMs);
      return state !== undefined && (await hasWorker(state));
    }
    const runs = await connectRuns(config, engine.address);
    const { workers } = await runs.everloop
      .run(run.id)
      .snapshot()
      .finally(() => runs.close());
    return workers > 0;
  };

  const tell = async (say: (runs: Runs) => Promise<void>) => {
    const runs = await connectRuns(config, engine.address);
    await say(runs).finally(() => runs.close());
  };

  const sayHowToGoOn = async (run: AttendedRun) => {
    const isHere = engine.owner === 'self' || worker !== undefined;
    const isElsewhere =
      !isHere &&
      (await Promise.race([
        isWorkerElsewhere(run).catch(() => false),
        delay(farewellMs, false, { ref: false }),
      ]));
    const next =
      engine.owner === 'remote'
        ? 'as soon as a Worker is there: everloop worker'
        : 'with the next everloop dev or everloop run in this folder';
    const how = isElsewhere ? 'goes on' : `goes on ${next}`;
    writeNote(terminal, `${isHere ? 'Stopping' : 'Detached'}: run ${run.id} ${how}.`);
    writeNote(terminal, `  look at it: everloop show ${run.id}`);
    writeNote(terminal, `  cancel it:  everloop cancel ${run.id}`);
  };

  return {
    desk: {
      decide: (runId, callId, decision) =>
        tell(({ everloop }) => everloop.run(runId).decide(callId, decision)),
      answer: (runId, callId, text) =>
        tell(({ everloop }) =>
          everloop.run(runId).answer(callId, text, whoDecides(terminal, undefined)),
        ),
    },
    async follow(run, view, attendant) {
      const unsubscribe = bus.subscribe(run.id, (event) => view.live(event));
      let isTold = false;
      const connect = async () => {
        await findEngine();
        if (await isWorkerNeeded()) await startWorker(run.agent);
        const runs = await connectRuns(config, engine.address);
        if (worker === undefined && !isTold) await sayWhatIsShown(terminal, runs, run.id);
        isTold = true;
        return { runs, address: engine.address.address };
      };
      try {
        const following = followTree(
          terminal,
          {
            runId: run.id,
            forks: false,
            toTheEnd: false,
            connect,
            connectOther: async () => {
              const { address } = engine;
              return { runs: await connectRuns(config, address), address: address.address };
            },
            onEvent(event) {
              if (event.runId === run.id) view.event(event);
              else view.other?.(event);
              attendant.event(event);
            },
          },
          (handle) => handle.result(),
        );
        return await Promise.race([following, failure.promise]);
      } catch (error) {
        if (error instanceof Interrupted || error instanceof ConfigurationError) {
          view.end();
          await sayHowToGoOn(run);
        }
        throw error;
      } finally {
        attendant.end();
        unsubscribe();
      }
    },
    async end() {
      try {
        await worker?.running.stop();
      } finally {
        await leaveEngine(engine);
      }
    },
  };
}

/** The client that was asked stays open only if it has answered. */
async function sayWhatIsShown(terminal: Terminal, runs: Runs, runId: string): Promise<void> {
  try {
    const { workers, taskQueue } = await runs.everloop.run(runId).snapshot();
    writeNote(
      terminal,
      'The Worker is another process: each message is shown when it is complete.',
    );
    if (workers > 0) return;
    writeNote(
      terminal,
      `No Worker has asked for work on task queue ${taskQueue} lately: the run waits for one.`,
    );
  } catch (error) {
    await runs.close();
    throw error;
  }
}
