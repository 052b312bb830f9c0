/** What a Workflow does with runs that it starts: how they are shown in lists, and how they are cancelled. */
import {
  CancellationScope,
  getExternalWorkflowHandle,
  TemporalFailure,
} from '@temporalio/workflow';
import { startState } from '../loop/apply.ts';
import type { StartInput } from '../loop/run-input.ts';
import { memoKey, toRunMemo } from '../loop/to-run-memo.ts';
import { attribute } from './attribute.ts';

/**
 * What lists and Temporal's own UI show of the run before it says so itself.
 * @param tree the run that it is a sub-agent of, and the run at the top of them all
 */
export function childDescription(
  workflowId: string,
  start: StartInput,
  tree?: { readonly parent: string; readonly root: string },
) {
  const at = Date.now();
  const first = startState({
    type: 'run-started',
    at,
    runId: workflowId,
    firstTemporalRunId: '',
    start,
  });
  return {
    memo: { [memoKey]: toRunMemo(first, at) },
    typedSearchAttributes: [
      { key: attribute.agent, value: start.agent },
      { key: attribute.status, value: 'running' },
      { key: attribute.root, value: tree?.root ?? workflowId },
      ...(tree === undefined ? [] : [{ key: attribute.parent, value: tree.parent }]),
    ],
    staticSummary: first.title,
  };
}

/**
 * Asks a run to stop, by its id: Temporal's own cancellation of a child misses one that continued as new. One
 * that has ended meanwhile is left alone.
 */
export async function cancelRun(workflowId: string): Promise<void> {
  try {
    await CancellationScope.nonCancellable(() => getExternalWorkflowHandle(workflowId).cancel());
  } catch (error) {
    if (!(error instanceof TemporalFailure)) throw error;
  }
}
