/** Chooses the engine of a command: the server that the environment names, else the project's, running or to be started. */
import { access } from 'node:fs/promises';
import type { Client } from '@temporalio/client';
import { Everloop } from '../client/everloop.ts';
import type { Config } from '../config.ts';
import type { EngineAddress } from '../engine/connect.ts';
import { connectClient } from '../engine/connect.ts';
import type { EngineState } from '../engine/engine-state.ts';
import { liveEngineState, readEngineState } from '../engine/engine-state.ts';
import { isRunning } from '../engine/process-command.ts';
import { EverloopError } from '../everloop-error.ts';
import { withPayloadStorage } from '../storage/payload-storage.ts';
import type { OwnEngine } from './own-engine.ts';
import { findOrStartOwnEngine } from './own-engine.ts';
import type { Terminal } from './terminal.ts';

/** An engine, and who runs it. */
export type Engine =
  | { readonly owner: 'remote'; readonly address: EngineAddress }
  | { readonly owner: 'other'; readonly address: EngineAddress; readonly state: EngineState }
  | { readonly owner: 'self'; readonly address: EngineAddress; readonly own: OwnEngine };

/**
 * An engine that is running already.
 * @throws EverloopError `engine_unreachable` when there is none
 */
export async function runningEngine(config: Config): Promise<Engine> {
  if (config.engine !== undefined) return { owner: 'remote', address: config.engine };
  const state = await liveEngineState(config.project);
  if (state !== undefined) return engineOfOther(state);
  throw noEngine();
}

/** An engine that is running, or else one that is started here by `command`. */
export async function anyEngine(
  terminal: Terminal,
  config: Config,
  command: string,
  ui: number | false = false,
): Promise<Engine> {
  if (config.engine !== undefined) return { owner: 'remote', address: config.engine };
  const found = await findOrStartOwnEngine(terminal, config, { command, ui });
  return found.status === 'found'
    ? engineOfOther(found.state)
    : { owner: 'self', address: { address: found.state.address }, own: found };
}

/**
 * The project's engine again after it went away: another process's, or started here by `command` once the
 * process that ran it has ended.
 * @throws EverloopError `engine_unreachable` while that process may bring it back
 */
export async function engineAgain(
  terminal: Terminal,
  config: Config,
  command: string,
): Promise<Engine> {
  const live = await liveEngineState(config.project);
  if (live !== undefined) return engineOfOther(live);
  const holder = (await readEngineState(config.project))?.holder;
  if (holder !== undefined && (await isRunning(holder.pid))) throw noEngine();
  return await anyEngine(terminal, config, command);
}

function engineOfOther(state: EngineState): Engine {
  return { owner: 'other', address: { address: state.address }, state };
}

function noEngine(): EverloopError {
  return new EverloopError('engine_unreachable', 'no engine is running for this project', {
    hint: 'start one with: everloop dev (or name a Temporal server in TEMPORAL_ADDRESS)',
  });
}

/** Whether the project's own engine is running. */
export async function isEngineRunning({ project }: Config): Promise<boolean> {
  return (await liveEngineState(project)) !== undefined;
}

/** False where no run can exist: no server is named, and the project's engine was never started. */
export async function hasRuns({ engine, project }: Config): Promise<boolean> {
  if (engine !== undefined) return true;
  return await access(project.databaseFile).then(
    () => true,
    () => false,
  );
}

/** Whether a process that announced itself as the engine's Worker is alive. */
export async function hasWorker({ workerPids }: EngineState): Promise<boolean> {
  const alive = await Promise.all(workerPids.map((pid) => isRunning(pid)));
  return alive.includes(true);
}

/** The same, or it is about to start one. */
export async function willHaveWorker(state: EngineState): Promise<boolean> {
  const { holder } = state;
  const isStarting = holder !== undefined && ['dev', 'run'].includes(holder.command);
  return (await hasWorker(state)) || (isStarting && (await isRunning(holder.pid)));
}

/** Stops the engine if this process runs it. */
export async function leaveEngine(engine: Engine): Promise<void> {
  if (engine.owner === 'self') await engine.own.stop();
}

/** A connected client of an engine's runs. */
export interface Runs {
  readonly client: Client;
  readonly everloop: Everloop;
  close(): Promise<void>;
}

/**
 * Connects to the runs of an engine.
 * @throws EverloopError `engine_unreachable`
 */
export async function connectRuns(
  config: Config,
  address: EngineAddress,
  taskQueue: string = config.taskQueue,
): Promise<Runs> {
  const { namespace, blobs } = config;
  const { client, connection } = await connectClient({
    ...address,
    namespace,
    client: { dataConverter: withPayloadStorage(undefined, blobs) },
  });
  const everloop = Everloop.from(client, { taskQueue, blobs });
  return { client, everloop, close: () => connection.close() };
}

/** Opens engine and client for `work`, and leaves both in order whatever happens. */
export async function withRuns<T>(
  config: Config,
  engine: Engine,
  work: (runs: Runs) => Promise<T>,
  taskQueue?: string,
): Promise<T> {
  try {
    const runs = await connectRuns(config, engine.address, taskQueue);
    try {
      return await work(runs);
    } finally {
      await runs.close();
    }
  } finally {
    await leaveEngine(engine);
  }
}
