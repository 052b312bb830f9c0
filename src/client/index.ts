/** The public names of `everloop/client`. */
export { EverloopError } from '../everloop-error.ts';
export type { DoneCall } from '../history/discarded-work.ts';
export type { ForkRequest } from '../loop/fork-request.ts';
export type { RunOutcome, RunsDiff } from './diff-runs.ts';
export type { DiscardedPart } from './discarded-parts.ts';
export type { ConnectOptions, StartOptions } from './everloop.ts';
export { Everloop } from './everloop.ts';
export { explain } from './explain.ts';
export type { RunFilter, RunSummary } from './list-runs.ts';
export type { EventsOptions } from './read-events.ts';
export type { RetryOptions } from './retry-point.ts';
export type { RewindOptions, RewindPlan } from './rewind-plan.ts';
export { RunHandle } from './run-handle.ts';
export type { OpenActivity, RunSnapshot } from './run-snapshot.ts';
