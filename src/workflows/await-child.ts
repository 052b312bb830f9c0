/** Starts a run as a child of somebody's own Workflow, and waits for what it comes to. */
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { ChildWorkflowOptions } from '@temporalio/workflow';
import {
  CancellationScope,
  ChildWorkflowCancellationType,
  ChildWorkflowFailure,
  ParentClosePolicy,
  startChild,
} from '@temporalio/workflow';
import { isRunResult } from '../loop/call-results.ts';
import type { AgentRunInput } from '../loop/run-input.ts';
import type { RunResult } from '../loop/run-result.ts';
import { nodes, readResultOptions } from './activities.ts';
import type { everloopAgentRun } from './agent-run.ts';
import { cancelRun } from './child-run.ts';

/** How the child is started: what lists show of it, and where its Workers are. */
type ChildOptions = Pick<
  ChildWorkflowOptions,
  'memo' | 'typedSearchAttributes' | 'staticSummary' | 'taskQueue'
> & { readonly args: [AgentRunInput] };

/**
 * The child's result, for every stop reason. When the caller is cancelled, the child is asked to stop and waited
 * for; then the cancellation goes on in the caller.
 * @param what names the child in errors
 * @throws CancelledFailure when the caller was cancelled
 * @throws ChildWorkflowFailure when the run ended without a result: it was terminated
 */
export async function awaitChild(
  workflowId: string,
  what: string,
  options: ChildOptions,
): Promise<RunResult> {
  const caller = CancellationScope.current();
  if (caller.consideredCancelled) throw new CancelledFailure(`${what} was not started`);
  // A child's cancellation goes to the Temporal run that was started, and misses one that continued as new:
  // the child is out of the scope's reach and cancelled by its id.
  const child = await CancellationScope.nonCancellable(() =>
    startChild<typeof everloopAgentRun>('everloopAgentRun', {
      ...options,
      workflowId,
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      cancellationType: ChildWorkflowCancellationType.ABANDON,
    }),
  );
  let isOpen = true;
  caller.cancelRequested.catch(async () => {
    if (isOpen && caller.consideredCancelled) await cancelRun(workflowId);
  });
  try {
    return await child.result();
  } catch (error) {
    const cause = error instanceof ChildWorkflowFailure ? error.cause : undefined;
    if (cause instanceof CancelledFailure) {
      if (caller.consideredCancelled) throw cause;
      const { taskQueue } = options;
      return await nodes.everloopReadResult.executeWithOptions(
        {
          ...readResultOptions(workflowId),
          ...(taskQueue !== undefined && { taskQueue }),
        },
        [{ runId: workflowId }],
      );
    }
    const recorded = cause instanceof ApplicationFailure ? cause.details?.[0] : undefined;
    if (isRunResult(recorded)) return recorded;
    throw error;
  } finally {
    isOpen = false;
  }
}
