/** All that can be told of a run now, from the server alone: no Worker needs to be alive. */
import type { Client } from '@temporalio/client';
import type { Closed, RecordedEvent } from '../history/recorded-event.ts';
import { latestState } from '../history/state-at.ts';
import type { Spending } from '../loop/budget-use.ts';
import { spendingOf } from '../loop/budget-use.ts';
import type { LoopState } from '../loop/loop-state.ts';
import type { RunStatus } from '../loop/run-status.ts';
import { statusOf } from '../loop/run-status.ts';
import { translated } from './client-errors.ts';
import { readHistory } from './read-history.ts';

/** An Activity that is on its way: a model call, a tool call, hooks that are asked, a transcript that is sealed. */
export interface OpenActivity {
  readonly id: string;
  readonly name: string;
  /** `scheduled`: no Worker has it now; `started`: a Worker works on it. */
  readonly status: 'scheduled' | 'started' | 'cancelling';
  readonly attempt: number;
  readonly lastFailure?: string;
  /** When the next attempt is due, milliseconds since the epoch. */
  readonly nextAttemptAt?: number;
}

/** Where a run stands, and why. */
export interface RunSnapshot extends Spending {
  readonly id: string;
  readonly temporalRunId: string;
  readonly taskQueue: string;
  /** `running`, or what the run waits for, until the Workflow is closed. */
  readonly status: RunStatus;
  /** LoopState as recorded; absent when the run's input was not valid. */
  readonly state?: LoopState;
  /** The failure that closed it, when it was no stop of the loop's own. */
  readonly failure?: string;
  /** What is on its way now. */
  readonly open: readonly OpenActivity[];
  /** Which attempt it is of a Workflow task that does not succeed. */
  readonly stuck?: { readonly attempt: number };
  /** Workers that asked for work on the run's task queue in the last minutes. */
  readonly workers: number;
}

/**
 * Looks at a run.
 * @throws EverloopError `not_found`, `engine_unreachable`
 */
export async function takeSnapshot(client: Client, id: string): Promise<RunSnapshot> {
  for (;;) {
    const snapshot = await lookAt(client, id);
    // It went on in a new Temporal run while it was looked at.
    if (snapshot !== 'continued') return snapshot;
  }
}

async function lookAt(client: Client, id: string): Promise<RunSnapshot | 'continued'> {
  return await translated(id, async () => {
    const { namespace } = client.options;
    const description = await client.workflowService.describeWorkflowExecution({
      namespace,
      execution: { workflowId: id },
    });
    const temporalRunId = description.workflowExecutionInfo?.execution?.runId ?? '';
    const taskQueue = description.executionConfig?.taskQueue?.name ?? '';
    const events: RecordedEvent[] = [];
    for await (const event of readHistory(client, { runId: id, temporalRunId })) events.push(event);
    const state = latestState({ runId: id, events });
    const closed = events.findLast((event) => event.type === 'closed')?.closed;
    if (closed?.how === 'continued') return 'continued';
    const attempt = description.pendingWorkflowTask?.attempt ?? 0;
    return {
      id,
      temporalRunId,
      taskQueue,
      status: closed === undefined ? openStatus(state) : endOf(closed, state),
      ...(state !== undefined && { state, ...spendingOf(state, state.endedAt ?? Date.now()) }),
      ...(closed?.how === 'failed' && { failure: closed.message }),
      open: (description.pendingActivities ?? []).map(toOpenActivity),
      ...(attempt > 1 && { stuck: { attempt } }),
      workers: closed === undefined ? await countWorkers(client, taskQueue) : 0,
    };
  });
}

function openStatus(state: LoopState | undefined): RunStatus {
  return state === undefined || state.stop !== undefined ? 'running' : statusOf(state);
}

/** The run's own reason, unless Temporal's own tools closed it before there was one. */
function endOf({ how }: Closed, state: LoopState | undefined): RunStatus {
  if (state?.endedAt !== undefined && state.stop !== undefined) return state.stop.reason;
  if (how === 'terminated' || how === 'cancelled' || how === 'completed') return how;
  return how === 'timed-out' ? 'timed_out' : 'error';
}

type PendingActivity = NonNullable<
  Awaited<ReturnType<Client['workflowService']['describeWorkflowExecution']>>['pendingActivities']
>[number];

/** PENDING_ACTIVITY_STATE_STARTED and _CANCEL_REQUESTED of Temporal's API. */
const started = 2;
const cancelRequested = 3;

function toOpenActivity(activity: PendingActivity): OpenActivity {
  const due = activity.nextAttemptScheduleTime ?? activity.scheduledTime;
  return {
    id: activity.activityId ?? '',
    name: activity.activityType?.name ?? '',
    status:
      activity.state === started
        ? 'started'
        : activity.state === cancelRequested
          ? 'cancelling'
          : 'scheduled',
    attempt: activity.attempt ?? 1,
    ...(activity.lastFailure?.message && { lastFailure: activity.lastFailure.message }),
    ...(due && activity.state !== started && { nextAttemptAt: Number(due.seconds) * 1000 }),
  };
}

/** TASK_QUEUE_TYPE_WORKFLOW of Temporal's API. */
const workflowQueue = 1;

async function countWorkers(client: Client, taskQueue: string): Promise<number> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: workflowQueue,
  });
  return new Set(pollers?.map((poller) => poller.identity)).size;
}
