/** The order in which a Workflow meets what its history records: results wait for the next Workflow task, and a cancellation comes first. */
import type { RecordedEvent } from './recorded-event.ts';
import type { Resolution } from './results.ts';
import { isResolution } from './results.ts';

/** An event as the Workflow meets it. */
export type Met = Exclude<RecordedEvent, { type: 'task-started' | 'task-completed' }>;

/** Puts the events of one Temporal run into the Workflow's order, one at a time. */
export class TaskOrder {
  readonly #starts = new Map<number, number>();
  #unseen: Resolution[] = [];
  #now = 0;

  /** Workflow time of the events met last, milliseconds since the epoch: the start of their task. */
  get now(): number {
    return this.#now;
  }

  /** What the Workflow has met with this event. */
  add(event: RecordedEvent): readonly Met[] {
    switch (event.type) {
      case 'task-started':
        this.#starts.set(event.id, event.at);
        return [];
      case 'task-completed':
        this.#now = this.#starts.get(event.startedId) ?? event.at;
        this.#starts.clear();
        return inOrder(this.#unseen.splice(0));
      default:
        if (!isResolution(event)) return [event];
        this.#unseen.push(event);
        return [];
    }
  }
}

/**
 * Workflow code goes on only when all that a task brought is known to it: a cancellation is noted before anything
 * else, and Signals are handled before code goes on with a result.
 */
function inOrder(resolutions: readonly Resolution[]): readonly Resolution[] {
  const isCancel = ({ type }: Resolution) => type === 'cancel-requested';
  return [
    ...resolutions.filter(isCancel),
    ...resolutions.filter(({ type }) => type === 'signaled'),
    ...resolutions.filter((resolution) => !isCancel(resolution) && resolution.type !== 'signaled'),
  ];
}
