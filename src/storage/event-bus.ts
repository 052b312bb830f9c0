/** Carries what is live only (deltas, progress) from the Activities to watchers. Nothing here is durable, and nothing durable depends on it. */
import { EventEmitter } from 'node:events';
import type { LiveEvent } from '../loop/events.ts';

/** Where live events are published and watched. */
export interface EventBus {
  publish(event: LiveEvent): void;
  /** Calls `listener` for each live event of the run until the returned function is called. */
  subscribe(runId: string, listener: (event: LiveEvent) => void): () => void;
}

/** A bus for watchers in the same process. */
export function createLocalEventBus(): EventBus {
  const emitter = new EventEmitter();
  emitter.setMaxListeners(0);
  return {
    publish(event) {
      emitter.emit(event.runId, event);
    },
    subscribe(runId, listener) {
      emitter.on(runId, listener);
      return () => emitter.off(runId, listener);
    },
  };
}
