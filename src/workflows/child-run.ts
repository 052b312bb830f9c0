/** What a Workflow does with runs that it starts: how they are shown in lists, and how they are cancelled. */
import type { SearchAttributePair } from '@temporalio/common';
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
 * @param origin the run that it is a sub-agent of with the run at the top of them all, or the one that it is forked from
 */
export function childDescription(
  workflowId: string,
  start: StartInput,
  origin:
    | { readonly parent: string; readonly root: string }
    | { readonly forkedFrom: string }
    | undefined = undefined,
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
      ...originAttributes(workflowId, origin),
    ],
    staticSummary: first.title,
  };
}

function originAttributes(
  workflowId: string,
  origin: Parameters<typeof childDescription>[2],
): SearchAttributePair[] {
  if (origin !== undefined && 'parent' in origin) {
    const { parent, root } = origin;
    return [
      { key: attribute.root, value: root },
      { key: attribute.parent, value: parent },
    ];
  }
  return [
    { key: attribute.root, value: workflowId },
    ...(origin === undefined ? [] : [{ key: attribute.forkedFrom, value: origin.forkedFrom }]),
  ];
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
