/** Starts the embedded Temporal server as a process that never outlives its starter. */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { Socket } from 'node:net';
import { resolve } from 'node:path';
import { EverloopError } from '../everloop-error.ts';
import { finishDatabaseFile, prepareDatabaseFile } from './database-file.ts';
import { claimDatabase, ensureUnserved, releaseDatabase } from './database-guard.ts';
import { untilServing } from './dev-server-ready.ts';
import type { DevServerPlace } from './dev-server-settings.ts';
import { devServerArguments, devServerHost } from './dev-server-settings.ts';
import type { TemporalCli } from './find-temporal-cli.ts';
import { checkPort, freePort } from './ports.ts';

/** What to start. */
export interface StartDevServerOptions {
  readonly cli: Pick<TemporalCli, 'path'>;
  /** SQLite file; made when missing, with its folder. */
  readonly databaseFile: string;
  /** gRPC port; a free one when not said. */
  readonly port?: number;
  /** Port of the Temporal UI; none when not said. */
  readonly ui?: number | false;
  /** Made when missing; `default` when not said. */
  readonly namespace?: string;
  /** Gets the server's warnings and errors appended. */
  readonly logFile?: string;
  /** The command line after `temporal`; with Everloop's settings when not said. */
  readonly commandLine?: (place: DevServerPlace) => string[];
  /** Stops the server, or its start. */
  readonly signal?: AbortSignal;
}

/** How the server process ended. */
export interface DevServerExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The last lines that it printed. */
  readonly log: string;
}

/** A server that answers. */
export interface DevServer {
  /** `host:port` for Temporal clients. */
  readonly address: string;
  readonly pid: number;
  readonly uiAddress?: string;
  /** Ends the server in order; resolves when the process is gone. */
  stop(): Promise<void>;
  /** Ends the server at once. Nothing that was written is lost. */
  kill(): void;
  /** Resolves when the process has ended, whoever ended it. */
  readonly exited: Promise<DevServerExit>;
}

/** A start takes half a second; recovery of a large database on a loaded machine takes longer. */
const startTimeoutMs = 30_000;

/** In order takes one second; a server that is still there after ten hangs. */
const stopTimeoutMs = 10_000;

const keptLogLines = 20;

/**
 * Starts the server with Everloop's settings and waits until it serves the namespace.
 *
 * The process dies with this one, however this one ends: a small watcher process holds the other
 * end of a pipe and kills the server when the pipe closes. It is in a session of its own, so that
 * Ctrl-C in a terminal reaches the starter first, which then stops Worker and server in order.
 *
 * @throws EverloopError (`engine_failed`) when a port is taken, the database is not usable or in
 * use, or the server ends or stays silent; the message holds the last lines of its log.
 */
export async function startDevServer(options: StartDevServerOptions): Promise<DevServer> {
  const { cli, ui = false, namespace = 'default', logFile, signal } = options;
  // Absolute, for the server's command line is how the database's guard knows it.
  const databaseFile = resolve(options.databaseFile);
  signal?.throwIfAborted();
  await ensureUnserved(databaseFile);
  await prepareDatabaseFile(databaseFile);
  if (options.port !== undefined) await checkPort(devServerHost, options.port);
  if (ui !== false) await checkPort(devServerHost, ui);
  const port = options.port ?? (await freePort(devServerHost));

  const { commandLine = devServerArguments } = options;
  const args = commandLine({ databaseFile, port, ui, namespace });
  const child = spawn(cli.path, args, { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const log = keepLog(child, logFile);
  const exited = exitOf(child, log);
  // A file that cannot be run makes an `error` event and no process.
  const { pid } = child;
  if (pid === undefined) throw failedStart(cli.path, await exited);
  const unwatch = watchOver(pid);
  const gone = exited.then(async (exit) => {
    unwatch();
    // A note that stays does no harm: its process is gone.
    await releaseDatabase(databaseFile, pid).catch(() => undefined);
    return exit;
  });

  const kill = () => void child.kill('SIGKILL');
  const stop = async () => {
    child.kill('SIGTERM');
    const timer = setTimeout(kill, stopTimeoutMs);
    await gone;
    clearTimeout(timer);
  };
  const address = `${devServerHost}:${port}`;
  const ended = new AbortController();
  const deadline = AbortSignal.timeout(startTimeoutMs);
  try {
    await claimDatabase(databaseFile, pid);
    const given = [deadline, ended.signal, ...(signal === undefined ? [] : [signal])];
    await Promise.race([
      untilServing(address, namespace, AbortSignal.any(given)),
      gone.then((exit) => Promise.reject(failedStart(cli.path, exit))),
    ]);
    await finishDatabaseFile(databaseFile);
  } catch (error) {
    ended.abort();
    kill();
    await gone;
    signal?.throwIfAborted();
    if (!deadline.aborted) throw error;
    throw new EverloopError(
      'engine_failed',
      `the Temporal server was not up within ${startTimeoutMs / 1000} s${printed(log())}`,
      {
        hint: 'the machine is very busy or the database very large: start again when it is quieter',
        cause: error,
      },
    );
  }
  const stopOnAbort = () => void stop();
  signal?.addEventListener('abort', stopOnAbort, { once: true });
  return {
    address,
    pid,
    ...(ui === false ? {} : { uiAddress: `http://${devServerHost}:${ui}` }),
    stop,
    kill,
    exited: gone.finally(() => signal?.removeEventListener('abort', stopOnAbort)),
  };
}

/** The last lines of both outputs, as they come; reading them also keeps the server from blocking. */
function keepLog(child: ChildProcess, logFile: string | undefined): () => string {
  let lines: string[] = [''];
  const file = logFile === undefined ? undefined : createWriteStream(logFile, { flags: 'a' });
  // A full disk must not end the starter; the lines kept here still tell.
  file?.on('error', () => undefined);
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      file?.write(chunk);
      lines = `${lines.join('\n')}${chunk.toString()}`.split('\n').slice(-keptLogLines);
    });
  }
  child.once('close', () => file?.end());
  return () => lines.join('\n').trim();
}

async function exitOf(child: ChildProcess, log: () => string): Promise<DevServerExit> {
  try {
    await once(child, 'close');
    return { code: child.exitCode, signal: child.signalCode, log: log() };
  } catch (error) {
    return {
      code: null,
      signal: null,
      log: error instanceof Error ? error.message : String(error),
    };
  }
}

/** Starts the watcher; returns what ends it, for the time when the server is gone. */
function watchOver(pid: number): () => void {
  // `read` returns when the pipe closes: nobody ever writes to it.
  const script = 'read -r _; kill -KILL "$1"';
  const watcher = spawn('/bin/sh', ['-c', script, 'everloop-engine-watcher', String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // The server keeps its starter's event loop alive, the watcher need not.
  watcher.unref();
  if (watcher.stdin instanceof Socket) watcher.stdin.unref();
  return () => void watcher.kill('SIGKILL');
}

function failedStart(path: string, exit: DevServerExit): EverloopError {
  const how = exit.code === null ? (exit.signal ?? 'could not be run') : `exit code ${exit.code}`;
  return new EverloopError(
    'engine_failed',
    `the Temporal server ended while starting (${how})${printed(exit.log)}`,
    { hint: `see what its last lines say; it was started from ${path}` },
  );
}

function printed(log: string): string {
  return log === '' ? '' : `; it printed:\n${log.replaceAll(/^/gm, '  ')}`;
}
