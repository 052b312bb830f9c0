/** The Activity that finds the point from which a run goes on, and puts its transcript where both runs can read it. */
import { activityInfo } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { userMessage } from '../chat/create-message.ts';
import type { Message } from '../chat/message.ts';
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import { doneSince, withEffect } from '../history/discarded-work.ts';
import type { FoundBoundary } from '../history/find-boundary.ts';
import { findBoundary } from '../history/find-boundary.ts';
import type { ReadHistory, ToldPoints } from '../history/told-points.ts';
import { readPoints } from '../history/told-points.ts';
import type { Cut } from '../loop/cut-transcript.ts';
import { forkedState, rewoundState } from '../loop/departure-states.ts';
import { discardedNote } from '../loop/discarded-note.ts';
import { failureType } from '../loop/failure-types.ts';
import { FromPoint } from '../loop/from-point.ts';
import type { LoopState } from '../loop/loop-state.ts';
import { activityMessageId, restoreActivityId } from '../loop/message-ids.ts';
import { problemsOf } from '../loop/problems-of.ts';
import type { Restored } from '../loop/restored.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import { cutTranscript, indexOf } from '../storage/cut-transcript.ts';
import { writeTranscript } from '../storage/transcript-store.ts';
import { assertPriced } from './assert-priced.ts';
import { withHeartbeat } from './heartbeat.ts';
import { isRecordable } from './is-recordable.ts';
import { isBlobError, toBlobFailure } from './to-blob-failure.ts';

/** What it needs of its Worker. */
export interface RestoreStateDependencies {
  readonly blobs: BlobStore;
  readonly readHistory: ReadHistory;
  readonly heartbeatIntervalMs: number;
}

/** The point as it was found. */
interface Found {
  readonly boundary: LoopState;
  /** The Temporal run in whose history the boundary stands. */
  readonly temporalRunId: string;
  /** The transcript that is cut. */
  readonly transcript: LoopState['transcript'];
  readonly cut: Cut;
  /** The message that was named, where one was. */
  readonly named?: number;
}

/** Makes the Activity `everloopRestoreState`. */
export function createRestoreState(dependencies: RestoreStateDependencies) {
  return (raw: FromPoint): Promise<Restored> =>
    withHeartbeat(dependencies.heartbeatIntervalMs, async () => {
      const from = checked(raw);
      try {
        const found = await find(dependencies, from);
        const { agent } = found.boundary;
        const isSame = from.agent === undefined || from.agent === agent?.name;
        if (agent !== undefined && isSame) assertPriced(agent, from.budget);
        const restored = await toRestored(dependencies, from, found);
        if (isRecordable(restored)) return restored;
        throw refusal(
          failureType.tooLarge,
          'The state at that point is too large to go on from: its instructions, tools, metadata and waiting messages together.',
        );
      } catch (error) {
        throw isBlobError(error) ? toBlobFailure(error) : error;
      }
    });
}

async function find(
  { blobs, readHistory: read }: RestoreStateDependencies,
  { point, edit, previous: { how } }: FromPoint,
): Promise<Found> {
  const { iteration } = point;
  if (iteration !== undefined) {
    const search = await findBoundary(read, point, { iteration });
    const boundary = boundaryOf(search, `end of iteration ${iteration}`, point);
    const { transcript } = boundary;
    const cut = await cutTranscript(blobs, transcript, transcript.count - 1, edit);
    return { boundary, temporalRunId: temporalRunOf(search), transcript, cut: taken(cut) };
  }
  const told = await readPoints(read, point);
  if (told?.latest === undefined) throw gone(point.runId);
  const { transcript } = told.latest;
  const named = await indexOf(blobs, transcript, point.message ?? '');
  if (named === undefined || named >= transcript.count) throw notThere(told, point.message);
  const cut = taken(await cutTranscript(blobs, transcript, named, edit));
  if (cut.last < 0)
    throw refusal(
      failureType.noSuchPoint,
      'Nothing comes before that message: start a new run instead.',
    );
  const search = await findBoundary(read, point, { messages: cut.last + 1 });
  // A fork needs the messages, and they are there; what else it takes over is that of the oldest history.
  const oldest = how === 'forked' ? search.path.at(-1)?.boundaries[0] : undefined;
  const boundary = search.boundary ?? oldest ?? boundaryOf(search, `message ${named}`, point);
  return { boundary, temporalRunId: temporalRunOf(search), transcript, cut, named };
}

async function toRestored(
  dependencies: RestoreStateDependencies,
  from: FromPoint,
  { boundary, temporalRunId, transcript, cut, named }: Found,
): Promise<Restored> {
  const { blobs, readHistory: read } = dependencies;
  const { point, previous, edit, input, tellModel } = from;
  const { how } = previous;
  const isFork = how === 'forked';
  const latest = isFork ? boundary : await latestOf(read, point.runId, previous.temporalRunId);
  const since = { temporalRunId, iteration: boundary.iteration };
  const done =
    isFork || tellModel === undefined
      ? undefined
      : await doneSince(read, { ...point, temporalRunId: previous.temporalRunId }, since);
  const note = done && discardedNote(withEffect(done.calls));
  const keepsInbox = named === undefined && !isFork;
  const isAsGoneOn = keepsInbox && edit === undefined && boundary.stop === undefined;
  const hasMore = input !== undefined || note !== undefined || isAsGoneOn;
  if (!hasMore && cut.lastRole === 'assistant') {
    throw refusal(
      failureType.inputRequired,
      'The messages up to that point end with an answer: say what the run is to go on with (input).',
    );
  }
  const rest = note === undefined ? cut.rest : [...cut.rest, userMessage(note)];
  const { sealed, count, tail } = transcript;
  const sealedCount = Math.min(sealed?.messages ?? 0, cut.keep);
  const before = count - tail.length;
  const kept = tail.slice(Math.max(0, sealedCount - before), Math.max(0, cut.keep - before));
  const written = await writeTranscript(
    blobs,
    sealed,
    [...kept, ...rest.map(identified)],
    cut.keep,
  );
  const at = { boundary, messages: written.messages, sealed: written };
  const { last } = cut;
  return {
    how,
    state: isFork ? forkedState(at, from) : rewoundState(at, latest, { ...from, keepsInbox }),
    ...(named !== undefined && named !== last && { moved: { from: named, to: last } }),
  };
}

/** The newest state of what is left behind; a run that was left before it knew its agent has spent nothing. */
async function latestOf(
  read: ReadHistory,
  runId: string,
  temporalRunId: string,
): Promise<LoopState> {
  let next: string | undefined = temporalRunId;
  for (let passed = 0; next !== undefined; passed += 1) {
    const told: ToldPoints | undefined = await readPoints(read, { runId, temporalRunId: next });
    const { latest } = told ?? {};
    // Those that were passed over count all the same: a generation is one Temporal run.
    if (latest?.agent !== undefined) return { ...latest, generation: latest.generation + passed };
    next = told?.origin?.previous;
  }
  throw gone(runId);
}

/** The argument has come through the Workflow, which has looked at it only as far as it needed to. */
function checked(raw: FromPoint): FromPoint {
  const parsed = FromPoint.safeParse(raw);
  if (!parsed.success) {
    const problems = problemsOf(parsed.error, 'input.from');
    throw refusal(failureType.invalidInput, `The run's input is not valid: ${problems}`);
  }
  const { agent, previous } = parsed.data;
  if (agent === undefined || previous.how === 'forked') return parsed.data;
  throw refusal(
    failureType.invalidInput,
    'Only a fork can go on with another agent: fork the run instead.',
  );
}

function boundaryOf(
  { boundary, path, isGone }: FoundBoundary,
  what: string,
  { runId }: FromPoint['point'],
): LoopState {
  if (boundary !== undefined) return boundary;
  if (isGone) throw gone(runId);
  const [newest] = path;
  if (newest !== undefined && newest.closed === undefined) throw notTold(`its ${what}`);
  throw refusal(failureType.noSuchPoint, `Run ${runId} has no ${what}.`);
}

function temporalRunOf({ path }: FoundBoundary): string {
  return path.at(-1)?.temporalRunId ?? '';
}

function taken(cut: Awaited<ReturnType<typeof cutTranscript>>): Cut {
  if ('keep' in cut) return cut;
  const type = cut.kind === 'edit' ? failureType.invalidEdit : failureType.noSuchPoint;
  throw refusal(type, `The run cannot go on from there: ${cut.text}.`);
}

/** An open run may only have to tell of it yet: it appends first and tells with its next command. */
function notThere({ closed, runId }: ToldPoints, message: unknown): ApplicationFailure {
  if (closed === undefined && typeof message === 'number') return notTold(`its message ${message}`);
  return refusal(failureType.noSuchPoint, `Run ${runId} has no message ${message}.`);
}

function notTold(what: string): ApplicationFailure {
  const message = `The history of the run does not tell of ${what} yet.`;
  return ApplicationFailure.create({ type: failureType.pointNotTold, message });
}

function gone(runId: string): ApplicationFailure {
  return refusal(
    failureType.noSuchPoint,
    `The server keeps the history of run ${runId} at that point no longer: choose a later one.`,
  );
}

function refusal(type: string, message: string): ApplicationFailure {
  return ApplicationFailure.create({ type, message, nonRetryable: true });
}

/** A message that was changed is another one, and has an id of its own. */
function identified(message: Message | TranscriptMessage, index: number): TranscriptMessage {
  if ('id' in message) return message;
  const { attempt, workflowExecution } = activityInfo();
  const temporalRunId = workflowExecution?.runId ?? '';
  const id = `${activityMessageId(temporalRunId, restoreActivityId, attempt)}/${index}`;
  return { ...message, id, createdAt: new Date().toISOString() };
}
