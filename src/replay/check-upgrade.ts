/** Checks a build against runs that were recorded with another: which of them to replay, and what came of each. */
import { EverloopError } from '../everloop-error.ts';
import type { Difference } from './first-difference.ts';
import type { RecordedRun } from './recorded-run.ts';
import type { ReplayOptions, ReplayVerdict } from './replay.ts';
import { replayRun } from './replay-run.ts';

/** An open run that an upgrade meets, as far as it tells which others are like it. */
export interface UpgradeCandidate {
  readonly id: string;
  readonly agent: string;
  /** Hash of the agent that the run has recorded; absent while it waits for a Worker that knows it. */
  readonly agentHash?: string;
  /** Build of the Worker that did its last Workflow task, where the server tells it. */
  readonly build?: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

/**
 * At most `perGroup` runs of each agent and build: the oldest, the newest, and others evenly between them, as
 * runs of one age are more alike than those of all ages.
 */
export function sampleOf<Run extends UpgradeCandidate>(
  runs: readonly Run[],
  perGroup: number,
): readonly Run[] {
  const groups = Map.groupBy(runs, ({ agent, agentHash, build }) =>
    JSON.stringify([agent, agentHash, build]),
  );
  return [...groups.values()].flatMap((group) => {
    const byAge = group.toSorted((one, other) => one.startedAt - other.startedAt);
    const count = Math.min(perGroup, byAge.length);
    return Array.from({ length: count }, (_, index) => {
      const place = count === 1 ? 0 : Math.round((index * (byAge.length - 1)) / (count - 1));
      return byAge.slice(place, place + 1);
    }).flat();
  });
}

/** A run that is to be checked. */
export interface RunToCheck {
  /** Its id, or the file that it is in. */
  readonly name: string;
  /**
   * Reads its record.
   * @throws EverloopError `not_found` when it is not there any more, `invalid_input` when it cannot be read
   */
  read(): Promise<RecordedRun>;
}

/** What came of one run. */
export interface CheckedRun {
  readonly name: string;
  readonly runId?: string;
  readonly agent?: string;
  readonly agentHash?: string;
  readonly build?: string;
  /** Events of all its histories. */
  readonly events?: number;
  readonly outcome:
    | { readonly verdict: 'replays'; readonly iterations: number }
    | {
        readonly verdict: 'diverges';
        /** The iteration in which code and history part. */
        readonly iteration: number;
        readonly problem: string;
        readonly difference?: Difference;
      }
    | { readonly verdict: 'unreadable'; readonly problem: string }
    /** It was listed and is there no longer. */
    | { readonly verdict: 'gone' };
}

/** Whether what came of the run speaks against the build. */
export function isFailure({ outcome: { verdict } }: CheckedRun): boolean {
  return verdict === 'diverges' || verdict === 'unreadable';
}

/**
 * Replays the runs, one after another, each when it is asked for: only one is in memory.
 * @throws what `read` throws beside what it says there
 */
export async function* checkUpgrade(
  runs: Iterable<RunToCheck> | AsyncIterable<RunToCheck>,
  options: ReplayOptions = {},
): AsyncGenerator<CheckedRun, void, undefined> {
  for await (const run of runs) yield await check(run, options);
}

async function check({ name, read }: RunToCheck, options: ReplayOptions): Promise<CheckedRun> {
  let recorded: RecordedRun;
  try {
    recorded = await read();
  } catch (error) {
    if (!(error instanceof EverloopError)) throw error;
    if (error.code === 'not_found') return { name, outcome: { verdict: 'gone' } };
    if (error.code !== 'invalid_input') throw error;
    return { name, outcome: { verdict: 'unreadable', problem: error.message } };
  }
  const build = buildOf(recorded);
  const verdict = await replayRun(recorded, options);
  const state = verdict.states.at(-1);
  return {
    name,
    runId: recorded.runId,
    ...(state !== undefined && { agent: state.start.agent }),
    ...(state?.agent !== undefined && { agentHash: state.agent.hash }),
    ...(build !== undefined && { build }),
    events: recorded.parts.reduce((sum, { events }) => sum + events.length, 0),
    outcome: outcomeOf(verdict),
  };
}

function outcomeOf(found: ReplayVerdict): CheckedRun['outcome'] {
  if (found.ok) return { verdict: 'replays', iterations: found.iterations };
  const { iteration, problem, difference } = found;
  return { verdict: 'diverges', iteration, problem, ...(difference && { difference }) };
}

/** Build of the Worker that did the last Workflow task. */
function buildOf({ parts }: RecordedRun): string | undefined {
  const tasks = parts.at(-1)?.events ?? [];
  const last = tasks.findLast((event) => event.workflowTaskCompletedEventAttributes);
  const { deploymentVersion, workerVersion } = last?.workflowTaskCompletedEventAttributes ?? {};
  return deploymentVersion?.buildId || workerVersion?.buildId || undefined;
}
