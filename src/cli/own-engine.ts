/** The project's own engine while this process runs it: started under the lock, started again if it dies, its state file kept true. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../config.ts';
import type { DevServer } from '../engine/dev-server.ts';
import { startDevServer } from '../engine/dev-server.ts';
import type { EngineState } from '../engine/engine-state.ts';
import { removeEngineState, writeEngineState } from '../engine/engine-state.ts';
import type { FoundEngine } from '../engine/find-or-start-engine.ts';
import { findOrStartEngine } from '../engine/find-or-start-engine.ts';
import { findTemporalCli } from '../engine/find-temporal-cli.ts';
import { EverloopError } from '../everloop-error.ts';
import { orInterrupted } from './interrupted.ts';
import { withProgress } from './progress.ts';
import type { Terminal } from './terminal.ts';
import { writeNote } from './terminal.ts';

/** A server that dies more often than this within one command has a fault that starting again does not heal. */
const maxRestarts = 5;
/** The dead server's port may take a moment to be free. */
const restartDelayMs = 200;

/** An engine that this process runs. */
export interface OwnEngine {
  readonly status: 'started';
  readonly state: EngineState;
  /** Tells other commands that this process works on the runs. */
  announceWorker(): Promise<void>;
  stop(): Promise<void>;
  /** Rejects when the server cannot be kept alive. */
  readonly failed: Promise<never>;
}

/** The engine of the project: another process's, or started here by `command`. */
export async function findOrStartOwnEngine(
  terminal: Terminal,
  config: Config,
  { command, ui }: { readonly command: string; readonly ui: number | false },
): Promise<Extract<FoundEngine, { status: 'found' }> | OwnEngine> {
  const { project, namespace } = config;
  const start = async (port?: number) => {
    const cli = await withProgress(terminal, 'looking for the Temporal CLI', (onProgress) =>
      orInterrupted(findTemporalCli({ env: terminal.env, onProgress }), terminal.interrupted),
    );
    return await startDevServer({
      cli,
      databaseFile: project.databaseFile,
      logFile: project.logFile,
      namespace,
      ui,
      ...(port !== undefined && { port }),
    });
  };
  const found = await withProgress(terminal, 'starting the engine', () =>
    findOrStartEngine(project, start, { command, pid: process.pid }),
  );
  if (found.status === 'found') return found;
  return supervise(terminal, config, found, (port) => start(port));
}

function supervise(
  terminal: Terminal,
  { project }: Config,
  found: Extract<FoundEngine, { status: 'started' }>,
  start: (port: number) => Promise<DevServer>,
): OwnEngine {
  let { server, state } = found;
  let stopping = false;
  const port = Number(new URL(`tcp://${state.address}`).port);
  const failure = Promise.withResolvers<never>();
  // Commands that never look at it must not die of it.
  failure.promise.catch(() => undefined);

  const keepAlive = async () => {
    for (let restarts = 0; ; restarts += 1) {
      const { log } = await server.exited;
      if (stopping) return;
      if (restarts === maxRestarts) {
        throw new EverloopError('engine_failed', 'the Temporal server ends again and again', {
          hint: `see ${project.logFile}`,
          ...(log !== '' && { cause: new Error(log.split('\n').at(-1) ?? log) }),
        });
      }
      writeNote(terminal, 'The Temporal server has ended unexpectedly; starting it again.');
      await delay(restartDelayMs);
      server = await start(port);
      if (stopping) return await server.stop();
      state = { ...state, pid: server.pid };
      await writeEngineState(project, state);
      writeNote(terminal, 'The Temporal server is back; runs go on from where they were.');
    }
  };
  const keeping = keepAlive().catch((error: unknown) => failure.reject(error));

  return {
    status: 'started',
    state,
    failed: failure.promise,
    async announceWorker() {
      state = { ...state, workerPids: [process.pid] };
      await writeEngineState(project, state);
    },
    async stop() {
      stopping = true;
      await server.stop();
      await keeping;
      await removeEngineState(project, server.pid);
    },
  };
}
