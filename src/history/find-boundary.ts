/** Finds the boundary from which a run goes on, in whichever of its histories it stands. */
import type { LoopState } from '../loop/loop-state.ts';
import type { ReadHistory, TemporalRun, ToldPoints } from './told-points.ts';
import { readPoints } from './told-points.ts';

/** After an iteration (0: before the first), or the newest with so many messages at most. */
export type Wanted = { readonly iteration: number } | { readonly messages: number };

/** Where the search has come. */
export interface FoundBoundary {
  /** Absent when there is none, or its history is not there any more. */
  readonly boundary?: LoopState;
  /** The Temporal runs that were looked at, newest first; the boundary stands in the last. */
  readonly path: readonly ToldPoints[];
  /** The search ended at a history that the server has no longer. */
  readonly isGone: boolean;
}

/**
 * Looks into the Temporal run and, where the boundary lies before its start, into those that it goes on from. Of a
 * fork only its own: what it inherited is in the state that it began with.
 */
export async function findBoundary(
  read: ReadHistory,
  run: TemporalRun,
  wanted: Wanted,
): Promise<FoundBoundary> {
  const path: ToldPoints[] = [];
  let next: TemporalRun | undefined = run;
  while (next !== undefined) {
    const told = await readPoints(read, next, (first) => isBefore(wanted, first));
    if (told === undefined) return { path, isGone: true };
    path.push(told);
    const boundary = boundaryIn(told.boundaries, wanted);
    if (boundary !== undefined) return { boundary, path, isGone: false };
    next = told.origin?.how === 'forked' ? undefined : told.origin?.from;
  }
  return { path, isGone: false };
}

/** Whether the wanted boundary lies before the state that the Temporal run went on from. */
function isBefore(wanted: Wanted, first: LoopState): boolean {
  if ('iteration' in wanted) return wanted.iteration < first.iteration;
  return wanted.messages < first.transcript.count && first.iteration > 0;
}

function boundaryIn(boundaries: readonly LoopState[], wanted: Wanted): LoopState | undefined {
  return 'iteration' in wanted
    ? afterIteration(boundaries, wanted.iteration)
    : holding(boundaries, wanted.messages);
}

/** A run that failed in an iteration has not come to its end. */
function afterIteration(
  boundaries: readonly LoopState[],
  iteration: number,
): LoopState | undefined {
  const there = boundaries.filter((state) => state.iteration === iteration);
  const last = there.findLast(({ stop }) => stop === undefined);
  return last ?? there.findLast(({ stop }) => stop?.reason !== 'error');
}

/** The newest that holds no message too many; of a run's first messages, the beginning of the run. */
function holding(boundaries: readonly LoopState[], messages: number): LoopState | undefined {
  const fits = boundaries.filter(({ transcript }) => transcript.count <= messages);
  const last = fits.findLast(({ stop }) => stop === undefined);
  const ended = fits.findLast(({ stop }) => stop !== undefined && stop.reason !== 'error');
  if (ended !== undefined && ended.transcript.count > (last?.transcript.count ?? 0)) return ended;
  const [first] = boundaries;
  return last ?? (first?.iteration === 0 ? first : undefined);
}
