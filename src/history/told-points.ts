/** The points of a recorded Temporal run from which a run can go on, and the Temporal run that it goes on from itself. */
import type { Departure } from '../loop/from-point.ts';
import type { LoopState } from '../loop/loop-state.ts';
import { isPointArgument, isRunInput, isStateArgument } from '../loop/read-input.ts';
import { isGone } from './is-gone.ts';
import type { Closed, RecordedEvent } from './recorded-event.ts';
import type { Step } from './run-projection.ts';
import { RunProjection } from './run-projection.ts';

/** Reads the events of one Temporal run, oldest first. */
export type ReadHistory = (run: TemporalRun) => AsyncIterable<RecordedEvent>;

/** One Temporal run of a run. */
export interface TemporalRun {
  readonly runId: string;
  readonly temporalRunId: string;
}

/** What a Temporal run goes on from. */
export interface Origin {
  readonly how: 'continued' | Departure;
  /** The Temporal run in whose history the state stands. */
  readonly from: TemporalRun;
  /** The Temporal run that it took the place of. */
  readonly previous: string;
  /** Messages at the point were changed, or added to: they stand in the blob store alone. */
  readonly isChanged: boolean;
}

/** What the history of one Temporal run tells. */
export interface ToldPoints extends TemporalRun {
  readonly origin?: Origin;
  /** The states at which nothing of an iteration is open, in order. */
  readonly boundaries: readonly LoopState[];
  /** The state after all that is recorded. */
  readonly latest?: LoopState;
  readonly startedAt: number;
  readonly closed?: Closed;
}

/**
 * Reads a Temporal run. Undefined when the server has it no longer.
 * @param isEnough called with the first state that the run went on from: whether nothing else needs to be read
 * @param onStep called for every step of the fold
 */
export async function readPoints(
  read: ReadHistory,
  { runId, temporalRunId }: TemporalRun,
  isEnough: (first: LoopState) => boolean = () => false,
  onStep: (step: Step) => void = () => {},
): Promise<ToldPoints | undefined> {
  const boundaries: LoopState[] = [];
  const projection = new RunProjection(runId, (step) => {
    boundaries.push(...boundariesIn(step));
    onStep(step);
  });
  let origin: Origin | undefined;
  let startedAt: number | undefined;
  let closed: Closed | undefined;
  try {
    for await (const event of read({ runId, temporalRunId })) {
      startedAt ??= event.at;
      if (event.type === 'started') origin = originOf(runId, event.input);
      if (event.type === 'closed') closed = event.closed;
      projection.add(event);
      const [first] = boundaries;
      if (origin !== undefined && first !== undefined && isEnough(first)) break;
    }
  } catch (error) {
    if (!isGone(error)) throw error;
  }
  if (startedAt === undefined) return undefined;
  const { state: latest } = projection;
  return {
    runId,
    temporalRunId,
    boundaries,
    startedAt,
    ...(origin !== undefined && { origin }),
    ...(latest !== undefined && { latest }),
    ...(closed !== undefined && { closed }),
  };
}

/** A run can go on from before an iteration, from after one, and from after its end: then every call has its result. */
function boundariesIn({ fact, before, after }: Step): readonly LoopState[] {
  switch (fact.type) {
    case 'went-on':
      return after.pendingToolCalls.length === 0 ? [after] : [];
    case 'iteration-started':
      return before === undefined ? [] : [before];
    case 'restored':
      return after.agent === undefined ? [] : [after];
    case 'iteration-ended':
    case 'stopped':
      return after.agent === undefined ? [] : [after];
    default:
      return [];
  }
}

/** What the argument of a Workflow says of where it goes on from. */
export function originOf(runId: string, input: unknown): Origin | undefined {
  if (!isRunInput(input)) return undefined;
  if (isStateArgument(input)) {
    const { how, temporalRunId } = input.from.previous;
    return { how, from: { runId, temporalRunId }, previous: temporalRunId, isChanged: false };
  }
  if (!isPointArgument(input)) return undefined;
  const { point, previous, edit, tellModel } = input.from;
  const { runId: from, temporalRunId } = point;
  return {
    how: previous.how,
    from: { runId: from, temporalRunId },
    previous: previous.temporalRunId,
    isChanged: edit !== undefined || tellModel === true,
  };
}
