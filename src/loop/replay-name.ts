/** How a Workflow knows that it is being replayed for inspection, and not for a cache that went cold. */

/** Name under which recorded histories are replayed. The SDK makes a task queue of it by appending a number. */
export const replayName = 'everloop-replay';

const replayQueue = new RegExp(`^${replayName}-\\d+$`);

/** Whether a Workflow on that task queue is being replayed. */
export function isReplay(taskQueue: string): boolean {
  return replayQueue.test(taskQueue);
}
