/** Event ids as positions in the events of a run. */
import { EverloopError } from '../everloop-error.ts';

/** What an event id says: which Temporal run (the last six characters of its id), which event of its history, which of what that told. */
export interface EventPosition {
  readonly temporalRun: string;
  readonly event: number;
  readonly ordinal: number;
}

/** @throws EverloopError `invalid_input` when it is no event id */
export function toEventPosition(id: string): EventPosition {
  const match = /^\d+\.([^.]{1,6})\.(\d+)\.(\d+)$/.exec(id);
  const [, temporalRun = '', event, ordinal] = match ?? [];
  if (match !== null) return { temporalRun, event: Number(event), ordinal: Number(ordinal) };
  throw new EverloopError('invalid_input', `${JSON.stringify(id)} is no event id`, {
    hint: 'take the id of an event of this run, such as 1.3fa2b1.17.0',
  });
}

/** Whether the event of that id lies after the position, within one Temporal run. */
export function isAfter(id: string, { event, ordinal }: EventPosition): boolean {
  const other = toEventPosition(id);
  return other.event > event || (other.event === event && other.ordinal > ordinal);
}
