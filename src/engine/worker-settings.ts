/** How Workers are set up next to the embedded server and on a cluster. */
import type { WorkerOptions } from '@temporalio/worker';

/**
 * `embedded`: the Worker beside the embedded server, where calls are free and a person waits.
 * `cluster`: any other server, where each heartbeat costs.
 */
export type EngineProfile = 'embedded' | 'cluster';

/** The part of Temporal's Worker options that Everloop chooses. */
export type WorkerSettings = Required<
  Pick<
    WorkerOptions,
    | 'stickyQueueScheduleToStartTimeout'
    | 'maxHeartbeatThrottleInterval'
    | 'defaultHeartbeatThrottleInterval'
    | 'shutdownGraceTime'
    | 'maxEagerActivityReservationsPerWorkflowTask'
  >
>;

/** How often an Activity heartbeats, and after how much silence it counts as lost. */
export interface HeartbeatSettings {
  readonly intervalMs: number;
  readonly timeoutMs: number;
}

/** Worker options of a profile; what the user sets goes before. */
export function workerSettings(profile: EngineProfile): WorkerSettings {
  const embedded = profile === 'embedded';
  // Cancellation reaches an Activity in the answer to a heartbeat, so throttling beats by more than
  // their interval delays it: with the SDK's defaults a cancel took 6.5 s.
  const throttle = embedded ? '1 second' : '5 seconds';
  return {
    // A killed Worker's runs wait this long for it: 1.1 s instead of the SDK's 10 s. On a cluster a
    // Worker may be merely busy for a second, and losing its cached runs makes it busier.
    stickyQueueScheduleToStartTimeout: embedded ? '1 second' : '5 seconds',
    maxHeartbeatThrottleInterval: throttle,
    defaultHeartbeatThrottleInterval: throttle,
    // Most model calls end within a minute: what ends needs no second attempt.
    shutdownGraceTime: '60 seconds',
    // An iteration often asks for more than three tools, the SDK's default; each one that starts
    // eagerly saves a hop through the server.
    maxEagerActivityReservationsPerWorkflowTask: 16,
  };
}

/** Heartbeats of a profile. */
export function heartbeatSettings(profile: EngineProfile): HeartbeatSettings {
  return profile === 'embedded'
    ? // A lost call is noticed after 5 s; a beat on this machine costs a millisecond.
      { intervalMs: 1_000, timeoutMs: 5_000 }
    : // Hosted servers charge per beat, and a tight timeout turns pauses into lost attempts.
      { intervalMs: 5_000, timeoutMs: 20_000 };
}
