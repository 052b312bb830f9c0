/** Follows a run to its end, through every absence of the server. */
import { setTimeout as delay } from 'node:timers/promises';
import { isGrpcServiceError } from '@temporalio/client';
import type { RunHandle } from '../client/run-handle.ts';
import { knock } from '../engine/ports.ts';
import { EverloopError } from '../everloop-error.ts';
import type { RunEvent } from '../loop/events.ts';
import type { RunResult } from '../loop/run-result.ts';
import type { Runs } from './engine.ts';
import { Interrupted } from './interrupted.ts';
import type { Terminal } from './terminal.ts';
import { writeNote } from './terminal.ts';

/** How a run is followed. */
export interface FollowOptions {
  readonly runId: string;
  /** Id of the last event that is known already; all are told when absent. */
  readonly after?: string;
  /** Finds the server, which may have come back at another address. */
  connect(): Promise<{ readonly runs: Runs; readonly address: string }>;
  onEvent(event: RunEvent): void;
}

/** gRPC codes of a call whose server went away under it: CANCELLED, UNKNOWN, DEADLINE_EXCEEDED, INTERNAL, UNAVAILABLE. */
const lostCodes: readonly number[] = [1, 2, 4, 13, 14];
/** Soon enough for a person who waits. */
const probeIntervalMs = 1_000;
const retryDelayMs = 500;

/**
 * Tells every durable event once, in order; resolves with the result.
 * @throws Interrupted when the terminal is; EverloopError `not_found`, `terminated`
 */
export async function followRun(terminal: Terminal, options: FollowOptions): Promise<RunResult> {
  return await followEvents(terminal, options, (run) => run.result());
}

/**
 * Tells every durable event once, in order; resolves with what `atEnd` finds once the run has ended.
 * @throws Interrupted when the terminal is; what `atEnd` throws; EverloopError `not_found`, `invalid_input` for an
 * `after` that is no event of the run
 */
export async function followEvents<T>(
  terminal: Terminal,
  options: FollowOptions,
  atEnd: (run: RunHandle) => Promise<T>,
): Promise<T> {
  const { interrupted } = terminal;
  let { after } = options;
  let away = false;
  for (;;) {
    try {
      const from = { ...options, ...(after !== undefined && { after }) };
      return await followOnce(interrupted, from, atEnd, (event) => {
        if (away) writeNote(terminal, 'The server is back.');
        away = false;
        after = event.id;
        options.onEvent(event);
      });
    } catch (error) {
      if (interrupted.aborted) throw new Interrupted('interrupted');
      if (!isAway(error)) throw error;
      if (!away) {
        writeNote(terminal, 'The server does not answer; trying on. Nothing of the run is lost.');
      }
      away = true;
      await delay(retryDelayMs, undefined, { signal: interrupted }).catch(() => undefined);
    }
  }
}

class ServerGone extends Error {}

async function followOnce<T>(
  interrupted: AbortSignal,
  { runId, after, connect }: FollowOptions,
  atEnd: (run: RunHandle) => Promise<T>,
  tell: (event: RunEvent) => void,
): Promise<T> {
  const { runs, address } = await connect();
  const gone = new AbortController();
  const signal = AbortSignal.any([interrupted, gone.signal]);
  // The client itself tries for 20 s before it says that the server is gone.
  const probe = setInterval(() => {
    knock(address).catch(() => gone.abort(new ServerGone('the server is gone')));
  }, probeIntervalMs);
  try {
    const run = runs.everloop.run(runId);
    for await (const event of run.events({ signal, ...(after !== undefined && { after }) })) {
      tell(event);
    }
    return await atEnd(run);
  } catch (error) {
    throw gone.signal.aborted ? gone.signal.reason : error;
  } finally {
    clearInterval(probe);
    await runs.close();
  }
}

function isAway(error: unknown): boolean {
  if (error instanceof ServerGone) return true;
  if (error instanceof EverloopError) return error.code === 'engine_unreachable';
  const cause = error instanceof Error && !isGrpcServiceError(error) ? error.cause : error;
  return isGrpcServiceError(cause) && lostCodes.includes(cause.code);
}
