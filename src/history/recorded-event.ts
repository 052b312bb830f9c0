/** The events of a Temporal history that say something about a run, with their payloads decoded. */

/** `id` is Temporal's event id; `at` its time in milliseconds since the epoch. */
export type RecordedEvent = { readonly id: number; readonly at: number } & (
  | {
      readonly type: 'started';
      readonly firstTemporalRunId: string;
      readonly input: unknown;
      /** The Temporal run that continued as this one. */
      readonly previousTemporalRunId?: string;
    }
  | { readonly type: 'task-started' }
  | { readonly type: 'task-completed'; readonly startedId: number }
  | {
      readonly type: 'activity-scheduled';
      readonly activityId: string;
      readonly name: string;
      readonly input: unknown;
    }
  | { readonly type: 'activity-completed'; readonly scheduledId: number; readonly result: unknown }
  | {
      readonly type: 'activity-failed';
      readonly scheduledId: number;
      readonly failureType: string;
      readonly message: string;
    }
  | {
      readonly type: 'activity-timed-out';
      readonly scheduledId: number;
      readonly heartbeat: boolean;
    }
  | { readonly type: 'activity-cancelled'; readonly scheduledId: number }
  | { readonly type: 'local-activity-completed'; readonly name: string; readonly result: unknown }
  | {
      /** Put into a run by a reset; it is accepted, without its payload, once the Workflow sees it. */
      readonly type: 'update-admitted';
      readonly name: string;
      readonly updateId: string;
      readonly input: unknown;
    }
  | {
      readonly type: 'update-accepted';
      readonly updateId: string;
      /** Absent for an Update that was admitted before. */
      readonly request?: { readonly name: string; readonly input: unknown };
    }
  | { readonly type: 'signaled'; readonly name: string; readonly input: unknown }
  | { readonly type: 'cancel-requested' }
  | { readonly type: 'timer-fired' }
  | {
      /** The run has asked for another Workflow. */
      readonly type: 'child-initiated';
      readonly runId: string;
      readonly name: string;
      readonly input: unknown;
    }
  | {
      readonly type: 'child-closed';
      readonly initiatedId: number;
      readonly how: 'completed' | 'failed' | 'cancelled' | 'terminated' | 'timed-out';
      /** What it recorded, if anything: its result, or the details of its failure. */
      readonly result?: unknown;
      readonly message?: string;
    }
  | { readonly type: 'memo'; readonly memo: Readonly<Record<string, unknown>> }
  | { readonly type: 'closed'; readonly closed: Closed }
);

/** How the Workflow was closed; for `failed` also with what. */
export type Closed =
  | { readonly how: 'completed'; readonly result: unknown }
  | { readonly how: 'failed'; readonly failureType: string; readonly message: string }
  | { readonly how: 'continued'; readonly temporalRunId: string }
  | { readonly how: 'cancelled' | 'terminated' | 'timed-out' };

/** A run's history. `runId` is the Workflow id, which the events themselves may not tell. */
export interface RecordedHistory {
  readonly runId: string;
  readonly events: readonly RecordedEvent[];
}
