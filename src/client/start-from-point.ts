/** Starts a Workflow that goes on from a point of a history. */
import type { Client } from '@temporalio/client';
import type { SearchAttributePair } from '@temporalio/common';
import { TypedSearchAttributes } from '@temporalio/common';
import type { FromPoint } from '../loop/from-point.ts';
import type { LoopState } from '../loop/loop-state.ts';
import type { RunMemo } from '../loop/run-memo.ts';
import { memoKey, toRunMemo } from '../loop/to-run-memo.ts';

/** How it is started. */
export interface PointStart {
  readonly id: string;
  readonly taskQueue: string;
  readonly from: FromPoint;
  /** What lists show until the run says so itself. */
  readonly shown: LoopState;
  readonly attributes: readonly SearchAttributePair[];
  /** A run of that id that is open is terminated, and one that is closed is no obstacle. */
  readonly takesOver: boolean;
}

/** @returns the id of the Temporal run */
export async function startFromPoint(client: Client, start: PointStart): Promise<string> {
  const { id, taskQueue, from, shown, attributes, takesOver } = start;
  const memo: RunMemo = toRunMemo(shown, Date.now());
  const handle = await client.workflow.start('everloopAgentRun', {
    workflowId: id,
    taskQueue,
    args: [{ from }],
    workflowIdConflictPolicy: takesOver ? 'TERMINATE_EXISTING' : 'FAIL',
    workflowIdReusePolicy: takesOver ? 'ALLOW_DUPLICATE' : 'REJECT_DUPLICATE',
    memo: { [memoKey]: memo },
    typedSearchAttributes: new TypedSearchAttributes([...attributes]),
    staticSummary: shown.title,
  });
  return handle.firstExecutionRunId;
}
