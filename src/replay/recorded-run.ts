/** A run as it was recorded: the raw histories of all its Temporal runs, and their form as a file. */

import { historyFromJSON, historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { temporal } from '@temporalio/proto';
import { isRecord } from '../chat/is-record.ts';
import { EverloopError } from '../everloop-error.ts';

/** What a file says that it is. */
const format = 'everloop-history';

/** Workflow type of a run. */
const workflowType = 'everloopAgentRun';

/** One Temporal run. */
export interface RecordedPart {
  readonly temporalRunId: string;
  readonly events: readonly temporal.api.history.v1.IHistoryEvent[];
}

/** The Temporal runs of a run that are known, oldest first. */
export interface RecordedRun {
  readonly runId: string;
  readonly parts: readonly RecordedPart[];
}

/** The text of a file that holds the run, one that {@link fromHistoryFile} reads. */
export function toHistoryFile({ runId, parts }: RecordedRun): string {
  const histories = parts.map(({ temporalRunId, events }) => ({
    temporalRunId,
    ...JSON.parse(historyToJSON({ events: [...events] })), // it answers with text
  }));
  return JSON.stringify({ format, version: 1, runId, histories });
}

/**
 * Reads what {@link toHistoryFile} wrote, or one history as Temporal's own CLI writes it
 * (`temporal workflow show --output json`).
 * @param name the file's name: what the run is called where the file does not say
 * @throws EverloopError `invalid_input` when it is neither, or of a Workflow that is no agent run
 */
export function fromHistoryFile(text: string, name: string): RecordedRun {
  const content = parsed(text, name);
  if (isRecord(content) && 'format' in content && content['format'] !== format) {
    throw noHistory(name, `it is of the format ${JSON.stringify(content['format'])}`);
  }
  if (isRecord(content) && 'version' in content && content['version'] !== 1) {
    throw noHistory(name, `it is of version ${content['version']}, and this build reads 1`);
  }
  const histories = isRecord(content) ? content['histories'] : undefined;
  const list = Array.isArray(histories) ? histories : [content];
  if (list.length === 0) throw noHistory(name, 'it holds no history');
  const parts = list.map((history): RecordedPart => {
    const events = eventsOf(history, name);
    return { temporalRunId: temporalRunIdOf(history, events), events };
  });
  const told = isRecord(content) ? content['runId'] : undefined;
  const first = parts[0]?.events[0]?.workflowExecutionStartedEventAttributes;
  return { runId: typeof told === 'string' ? told : first?.workflowId || name, parts };
}

function eventsOf(history: unknown, name: string): RecordedPart['events'] {
  if (
    !isRecord(history) ||
    !Array.isArray(history['events']) ||
    history['events'].length === 0 ||
    !history['events'].every(isRecord)
  ) {
    throw noHistory(name, 'it has no list of events');
  }
  let events: RecordedPart['events'];
  try {
    events = historyFromJSON({ events: history['events'] }).events ?? [];
  } catch (error) {
    throw noHistory(name, error instanceof Error ? error.message : String(error));
  }
  const started = events[0]?.workflowExecutionStartedEventAttributes;
  if (!started) throw noHistory(name, 'its first event is not the start of a Workflow');
  const type = started.workflowType?.name ?? '';
  if (type !== workflowType) {
    throw noHistory(name, `it is of a Workflow ${JSON.stringify(type)}, not of ${workflowType}`);
  }
  return events;
}

function temporalRunIdOf(history: unknown, events: RecordedPart['events']): string {
  const told = isRecord(history) ? history['temporalRunId'] : undefined;
  if (typeof told === 'string') return told;
  return events[0]?.workflowExecutionStartedEventAttributes?.originalExecutionRunId ?? '';
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw noHistory(name, error instanceof Error ? error.message : String(error));
  }
}

function noHistory(name: string, why: string): EverloopError {
  return new EverloopError('invalid_input', `${name} is no history of a run: ${why}`, {
    hint: 'write one with: everloop export <run> --format history, or temporal workflow show --output json',
  });
}
