/** Moments in the life of a Worker process, and the file that it notes them in: what is written there survives any kill. */
import { appendFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/**
 * A moment at which a Worker can be killed.
 * `model-start`: a model call has reached the Worker, and the model is not asked yet.
 * `first-delta`: the first piece of an answer has arrived.
 * `tool-start`: a tool call has reached the Worker, and the tool's code has not begun.
 * `tool-end`: the tool's code has come to its end, and nobody else knows.
 */
export type WorkerMoment = 'model-start' | 'first-delta' | 'tool-start' | 'tool-end';

/** The `nth` time (from 1, in one process) that a moment comes; of tool moments those of `tool` only, if it is named. */
export interface KillPoint {
  readonly moment: WorkerMoment;
  /** 1 when absent. */
  readonly nth?: number;
  readonly tool?: string;
}

/** A moment that came. */
export interface NotedMoment {
  readonly moment: WorkerMoment;
  /** Ordinal of the Worker process, from 1. */
  readonly worker: number;
  /** Activity id of the call, such as `3/model`. */
  readonly activityId: string;
  readonly attempt: number;
  readonly tool?: string;
  /** The Worker was killed at it. */
  readonly killed?: true;
}

/** Whether the moment is one that the point counts. */
export function isMeant({ moment, tool }: KillPoint, noted: NotedMoment): boolean {
  return noted.moment === moment && (tool === undefined || noted.tool === tool);
}

/** Appends the moment to the file; it is there when this returns. */
export function noteMoment(file: string, moment: NotedMoment): void {
  appendFileSync(file, `${JSON.stringify(moment)}\n`);
}

/** Every moment of the file, in the order in which they came. */
export async function readMoments(file: string): Promise<readonly NotedMoment[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): NotedMoment => JSON.parse(line));
}
