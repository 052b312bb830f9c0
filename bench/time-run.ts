/** Runs an agent once and says when what happened. */
import type { Contestant } from './contestants.ts';
import { median } from './statistics.ts';
import type { Workload } from './workload.ts';

/** Times of one run, all as `performance.now()`. */
export interface RunTimes {
  readonly id: string;
  /** Before the call that starts the run. */
  readonly startedAt: number;
  /** When the model received each call, one per iteration. */
  readonly modelCallsAt: readonly number[];
}

/** Runs to the end; nothing of the run is left to disturb the next one. */
export async function timeRun(
  contestant: Contestant,
  workload: Workload,
  iterations: number,
): Promise<RunTimes> {
  const modelCallsAt = workload.watch();
  const startedAt = performance.now();
  const run = await contestant.start(iterations);
  await run.ended();
  if (modelCallsAt.length !== iterations) {
    // A retried call would be counted as an iteration.
    throw new Error(`${modelCallsAt.length} model calls in a run of ${iterations} iterations`);
  }
  return { id: run.id, startedAt, modelCallsAt };
}

/** Milliseconds from the start call to the first model call. */
export function startMs({
  startedAt,
  modelCallsAt,
}: Pick<RunTimes, 'startedAt' | 'modelCallsAt'>): number {
  return at(modelCallsAt, 0) - startedAt;
}

/** Milliseconds per iteration, from model call to model call; start and end of the run are left out. */
export function iterationMs({ modelCallsAt }: Pick<RunTimes, 'modelCallsAt'>): number {
  return (at(modelCallsAt, -1) - at(modelCallsAt, 0)) / (modelCallsAt.length - 1);
}

/**
 * Time per iteration in the last `count` iterations over that in the first `count`. Medians, because a
 * pause of the machine in one of the two would count as growth.
 */
export function slope({ modelCallsAt }: Pick<RunTimes, 'modelCallsAt'>, count: number): number {
  const gaps = modelCallsAt.slice(1).map((time, index) => time - at(modelCallsAt, index));
  return median(gaps.slice(-count)) / median(gaps.slice(0, count));
}

function at(values: readonly number[], index: number): number {
  const value = values.at(index);
  if (value === undefined) throw new RangeError('the model was not called');
  return value;
}
