/** What taking a run back would mean, found out before anything is done. */
import type { Client } from '@temporalio/client';
import { parentAttribute } from '../engine/search-attributes.ts';
import { EverloopError } from '../everloop-error.ts';
import type { DoneCall } from '../history/discarded-work.ts';
import { doneSince } from '../history/discarded-work.ts';
import type { FoundBoundary, Wanted } from '../history/find-boundary.ts';
import { findBoundary } from '../history/find-boundary.ts';
import { isGone } from '../history/is-gone.ts';
import type { TemporalRun, ToldPoints } from '../history/told-points.ts';
import { readPoints } from '../history/told-points.ts';
import type { Cut } from '../loop/cut-transcript.ts';
import type { FromPoint } from '../loop/from-point.ts';
import type { LoopState } from '../loop/loop-state.ts';
import type { RunStatus } from '../loop/run-status.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import { translated } from './client-errors.ts';
import { cutRun } from './cut-run.ts';
import { readHistory } from './read-history.ts';
import type { RunSnapshot } from './run-snapshot.ts';
import { takeSnapshot } from './run-snapshot.ts';

/** Where a run is taken back to, and with what it goes on. */
export interface RewindOptions
  extends Pick<FromPoint, 'edit' | 'input' | 'maxIterations' | 'budget'> {
  /** After this iteration; 0: before the first. */
  readonly toIteration?: number;
  /** After this message instead: its index from 0, or its id. */
  readonly at?: number | string;
  /** The model is told which tools that are left behind have had an effect. */
  readonly tellModel?: boolean;
  /** Sub-agents that are still running end with what is left behind. */
  readonly force?: boolean;
}

/** What would be left behind, and what stays. */
export interface RewindPlan {
  readonly runId: string;
  readonly status: RunStatus;
  readonly how: 'rewound' | 'retried';
  readonly to: {
    /** The Temporal run in whose history the state stands. */
    readonly temporalRunId: string;
    readonly iteration: number;
    /** Messages that are kept. */
    readonly messages: number;
  };
  /** The message named lay inside a tool batch: its index, and that of the last message that is kept. */
  readonly moved?: { readonly from: number; readonly to: number };
  readonly discarded: {
    /** Iterations that were begun since. */
    readonly iterations: number;
    readonly messages: number;
    /** Tool calls that had begun; what they did is done. */
    readonly calls: readonly DoneCall[];
    /** User messages that had been received. */
    readonly received: number;
  };
  /** Sub-agents that are still running. */
  readonly children: readonly string[];
}

/** A plan with what is needed to carry it out. */
export interface Rewind {
  readonly plan: RewindPlan;
  readonly snapshot: RunSnapshot;
  readonly boundary: LoopState;
  readonly latest: LoopState;
  readonly point: FromPoint['point'];
  readonly parent?: string;
}

/**
 * Finds the point and all that lies behind it.
 * @throws EverloopError `not_found` when there is no such point, or the server keeps its history no longer;
 * `input_required`, `invalid_input`; `rejected` for a sub-agent whose parent is open
 */
export async function planRewind(
  client: Client,
  blobs: BlobStore | undefined,
  id: string,
  how: 'rewound' | 'retried',
  options: RewindOptions,
): Promise<Rewind> {
  const { toIteration, at, edit, input } = options;
  if ((toIteration === undefined) === (at === undefined)) {
    throw new EverloopError('invalid_input', 'name an iteration or a message to go back to');
  }
  const snapshot = await takeSnapshot(client, id);
  const { children, parent } = await relatives(client, id);
  const read = (run: TemporalRun) => readHistory(client, run);
  const newest = await newestWithAgent(client, snapshot);
  const { latest } = newest;
  const inTranscript = at === undefined ? undefined : await cutRun(client, blobs, latest, at, edit);
  const wanted: Wanted =
    inTranscript === undefined
      ? { iteration: toIteration ?? 0 }
      : { messages: inTranscript.cut.last + 1 };
  const found = await translated(id, () => findBoundary(read, newest, wanted));
  const { boundary, path } = found;
  const { temporalRunId = '' } = path.at(-1) ?? {};
  if (boundary === undefined) throw notThere(id, wanted, found, latest);
  const cut = inTranscript?.cut ?? (await cutBoundary(client, blobs, boundary, options));
  const isAsGoneOn = at === undefined && edit === undefined && boundary.stop === undefined;
  if (cut.lastRole === 'assistant' && input === undefined && !isAsGoneOn) {
    throw new EverloopError(
      'input_required',
      `the messages of run ${id} up to there end with an answer: say what it is to go on with (input)`,
    );
  }
  const { iteration } = boundary;
  const done = await doneSince(read, newest, { temporalRunId, iteration });
  const named = inTranscript?.index;
  const kept = cut.last + 1;
  return {
    plan: {
      runId: id,
      status: snapshot.status,
      how,
      to: { temporalRunId, iteration, messages: kept },
      ...(named !== undefined && named !== cut.last && { moved: { from: named, to: cut.last } }),
      discarded: {
        iterations: latest.iteration - iteration,
        messages: Math.max(0, latest.transcript.count - kept),
        ...done,
      },
      children,
    },
    snapshot,
    boundary,
    latest,
    point:
      named === undefined
        ? { runId: id, temporalRunId, iteration }
        : { runId: id, temporalRunId: newest.temporalRunId, message: named },
    ...(parent !== undefined && { parent }),
  };
}

/** The newest Temporal run that has come to know its agent: one whose own return failed has nothing of its own. */
async function newestWithAgent(
  client: Client,
  { id, temporalRunId }: RunSnapshot,
): Promise<TemporalRun & { readonly latest: LoopState }> {
  const read = (run: TemporalRun) => readHistory(client, run);
  for (let next: string | undefined = temporalRunId; next !== undefined; ) {
    const run: TemporalRun = { runId: id, temporalRunId: next };
    const told: ToldPoints | undefined = await translated(id, () => readPoints(read, run));
    if (told?.latest?.agent !== undefined) return { ...run, latest: told.latest };
    next = told?.origin?.how === 'forked' ? undefined : told?.origin?.previous;
  }
  throw new EverloopError('rejected', `run ${id} had not begun: there is nothing to go back to`, {
    hint: 'start it anew',
  });
}

/** PARENT_CLOSE_POLICY_ABANDON of Temporal's API: what a run leaves to itself is a fork, not a part of it. */
const abandoned = 2;

/** @throws EverloopError `rejected` */
async function relatives(
  client: Client,
  id: string,
): Promise<{ readonly children: readonly string[]; readonly parent?: string }> {
  return await translated(id, async () => {
    const { raw, typedSearchAttributes } = await client.workflow.getHandle(id).describe();
    const children = (raw.pendingChildren ?? [])
      .filter(({ parentClosePolicy }) => parentClosePolicy !== abandoned)
      .map(({ workflowId }) => workflowId ?? '');
    const parent = typedSearchAttributes.get(parentAttribute);
    if (parent === undefined) return { children };
    if (await isOpen(client, parent)) {
      throw new EverloopError(
        'rejected',
        `run ${id} is a sub-agent of ${parent}, which still waits for it`,
        { hint: `fork it, or take its parent back: everloop rewind ${parent}` },
      );
    }
    return { children, parent };
  });
}

async function isOpen(client: Client, id: string): Promise<boolean> {
  try {
    return (await client.workflow.getHandle(id).describe()).status.name === 'RUNNING';
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

/** All of the boundary's messages, the last of them edited or not. */
async function cutBoundary(
  client: Client,
  blobs: BlobStore | undefined,
  boundary: LoopState,
  { edit }: RewindOptions,
): Promise<Cut> {
  const { count, tail } = boundary.transcript;
  if (edit !== undefined) return (await cutRun(client, blobs, boundary, count - 1, edit)).cut;
  return { keep: count, rest: [], last: count - 1, lastRole: tail.at(-1)?.role };
}

function notThere(
  id: string,
  wanted: Wanted,
  { isGone, path }: FoundBoundary,
  latest: LoopState,
): EverloopError {
  const what = 'iteration' in wanted ? `the end of iteration ${wanted.iteration}` : 'that message';
  const oldest = path.at(-1);
  if (!isGone || oldest === undefined) {
    return new EverloopError('not_found', `run ${id} has not come to ${what}`, {
      hint: `it is in iteration ${latest.iteration}: everloop show ${id}`,
    });
  }
  const since = new Date(oldest.startedAt).toISOString();
  const from = oldest.boundaries[0]?.iteration ?? 0;
  return new EverloopError(
    'not_found',
    `the server keeps the history of run ${id} since ${since} only, and ${what} lies before that`,
    { hint: `go back to iteration ${from} or later, or fork the run: its messages are kept` },
  );
}
