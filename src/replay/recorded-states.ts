/** What history alone tells of one Temporal run: LoopState at every boundary, and the state it began and went on with. */
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { temporal } from '@temporalio/proto';
import { payloadDecoder } from '../engine/payload-decoder.ts';
import { decodeEvent } from '../history/decode-event.ts';
import type { RecordedEvent } from '../history/recorded-event.ts';
import { RunProjection } from '../history/run-projection.ts';
import { isBoundaryStep } from '../history/state-at.ts';
import { continuedState } from '../loop/continuation.ts';
import { cutText } from '../loop/cut-text.ts';
import type { LoopState } from '../loop/loop-state.ts';
import { isPointArgument, isRunInput, isStateArgument } from '../loop/read-input.ts';
import type { ReplayOptions } from './execute.ts';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** What a history tells. */
export interface RecordedStates {
  readonly states: readonly LoopState[];
  /** The state that it began with, if it went on from one. */
  readonly first?: LoopState;
  /** The state that it handed over, if it continued as new. */
  readonly next?: LoopState;
  readonly isClosed: boolean;
  /** It went on from a point of a history, not from what the one before it handed over. */
  readonly isFromPoint: boolean;
  /** Why the history cannot be read to its end. */
  readonly problem?: string;
}

/** Longest text of a problem, in UTF-16 code units. */
const textLength = 300;

/** Reads the events of one Temporal run, once. */
export async function readStates(
  runId: string,
  events: readonly HistoryEvent[],
  { dataConverter }: ReplayOptions,
): Promise<RecordedStates> {
  const decode = payloadDecoder(loadDataConverter(dataConverter));
  const states: LoopState[] = [];
  const projection = new RunProjection(runId, (step) => {
    if (isBoundaryStep(step)) states.push(step.after);
  });
  let first: LoopState | undefined;
  let next: LoopState | undefined;
  let isClosed = false;
  let isFromPoint = false;
  let problem: string | undefined;
  for (const event of events) {
    let recorded: RecordedEvent | undefined;
    try {
      recorded = await decodeEvent(event, decode);
      if (recorded?.type === 'closed') isClosed = true;
      if (recorded === undefined || problem !== undefined) continue;
      projection.add(recorded);
    } catch (error) {
      problem ??= `event ${event.eventId ?? ''} of the history cannot be read: ${inOneLine(error)}`;
      continue;
    }
    if (recorded.type === 'started' && isRunInput(recorded.input)) {
      const { input } = recorded;
      if (isStateArgument(input)) first = input.from.state;
      isFromPoint = isPointArgument(input);
    }
    if (recorded.type === 'closed' && recorded.closed.how === 'continued' && projection.state) {
      next = continuedState(projection.state);
    }
  }
  return {
    states,
    ...(first !== undefined && { first }),
    ...(next !== undefined && { next }),
    isClosed,
    isFromPoint,
    ...(problem !== undefined && { problem }),
  };
}

/** What a schema says takes many lines of JSON; its first problem is enough. */
function inOneLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return cutText(text.replaceAll(/\s+/g, ' ').trim(), textLength);
}
