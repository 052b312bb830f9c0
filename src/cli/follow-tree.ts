/** Follows a run together with the runs that come of it: its sub-agents, theirs, and forks where they are wanted. */
import { Writable } from 'node:stream';
import type { RunHandle } from '../client/run-handle.ts';
import { untilThere } from '../client/until-there.ts';
import type { RunEvent } from '../loop/events.ts';
import type { FollowOptions } from './follow-run.ts';
import { followEvents } from './follow-run.ts';
import { Interrupted } from './interrupted.ts';
import type { Terminal } from './terminal.ts';
import { writeNote } from './terminal.ts';

/** How a tree of runs is followed. */
export interface FollowTreeOptions extends FollowOptions {
  /** Forks as well, which go on by themselves; sub-agents alone otherwise. */
  readonly forks: boolean;
  /** Wait until each run has ended; only the first one otherwise. */
  readonly toTheEnd: boolean;
  /** Finds the server for the other runs; as for the first one when absent. */
  readonly connectOther?: FollowOptions['connect'];
}

/**
 * Tells every durable event of every run once, those of one run in order; resolves with what `atEnd` finds for the
 * first run.
 * @throws as `followEvents` does, for the first run; what goes wrong with another one is told on the terminal
 */
export async function followTree<T>(
  terminal: Terminal,
  options: FollowTreeOptions,
  atEnd: (run: RunHandle) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const interrupted = AbortSignal.any([terminal.interrupted, over.signal]);
  const others = new Map<string, Promise<void>>();
  const connectOther = options.connectOther ?? options.connect;

  const onEvent = (event: RunEvent) => {
    options.onEvent(event);
    for (const runId of startedBy(event, options.forks)) {
      if (!others.has(runId)) others.set(runId, follow(runId));
    }
  };
  // One voice is enough to say that the server is away.
  const quiet: Terminal = { ...terminal, stderr: silence(), interrupted };
  const follow = async (runId: string) => {
    const connect = async () => {
      const connected = await connectOther();
      // Its id is told a moment before the server has started it.
      await untilThere(connected.runs.client, runId).catch(async (error: unknown) => {
        await connected.runs.close();
        throw error;
      });
      return connected;
    };
    try {
      await followEvents(quiet, { runId, connect, onEvent }, async () => undefined);
    } catch (error) {
      if (interrupted.aborted) return;
      const why = error instanceof Error ? error.message : String(error);
      writeNote(terminal, `Run ${runId} cannot be followed: ${why}`);
    }
  };

  try {
    const result = await followEvents(terminal, { ...options, onEvent }, atEnd);
    // Each may have started others meanwhile.
    for (let count = -1; options.toTheEnd && count < others.size; ) {
      count = others.size;
      await Promise.all(others.values());
    }
    if (options.toTheEnd && terminal.interrupted.aborted) throw new Interrupted('interrupted');
    return result;
  } finally {
    over.abort();
    await Promise.all(others.values());
  }
}

function startedBy({ type, data }: RunEvent, forks: boolean): readonly string[] {
  if (type === 'child-start') return [data.runId];
  return type === 'fork' && forks ? data.runs : [];
}

function silence(): Writable {
  return new Writable({ write: (_piece, _encoding, done) => done() });
}
