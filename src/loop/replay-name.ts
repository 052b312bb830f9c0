/** How a Workflow knows that it is being replayed for inspection, and not for a cache that went cold. */

/** Begins the task queue name under which recorded histories are replayed (the SDK appends a number). */
export const replayName = 'everloop-replay';
