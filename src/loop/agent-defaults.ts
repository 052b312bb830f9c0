/** What an agent is when its definition says nothing else. */

/** Iterations of a run: enough for most jobs, and an end for an agent that goes round in circles. */
export const defaultMaxIterations = 16;
