/** How an adapter says that its provider has only paused. */

/** Key in the output metadata's `extra`; `true` there means: send the message back unchanged, and the answer goes on. */
export const pauseMark = 'everloop/pause';
