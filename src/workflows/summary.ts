/** What lists and Temporal's own UI show of a run without asking it: memo, search attributes, details. */
import {
  setCurrentDetails,
  upsertMemo,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { statusOf } from '../loop/run-status.ts';
import { memoKey, toRunMemo } from '../loop/to-run-memo.ts';
import { attribute } from './attribute.ts';
import type { Run } from './run.ts';

/** Age at which the summary of a working run is written again, in a Workflow task that happens anyway. */
const refreshMs = 30_000;

/** Writes the first summary, unless the starter did: a run started by CLI or Schedule comes without one. */
export function describeRun(run: Run): void {
  const { memo, workflowId } = workflowInfo();
  if (memo?.[memoKey] !== undefined) return;
  upsertMemo({ [memoKey]: toRunMemo(run.state, run.state.startedAt) });
  upsertSearchAttributes([
    { key: attribute.agent, value: run.state.start.agent },
    { key: attribute.status, value: statusOf(run.state) },
    { key: attribute.root, value: workflowId },
    ...(run.state.forkedFrom === undefined
      ? []
      : [{ key: attribute.forkedFrom, value: run.state.forkedFrom.runId }]),
  ]);
}

/** Writes memo and status, always together. */
export function writeSummary(run: Run): void {
  const at = run.now();
  run.summaryAt = at;
  upsertMemo({ [memoKey]: toRunMemo(run.state, at) });
  upsertSearchAttributes([{ key: attribute.status, value: statusOf(run.state) }]);
}

/** Writes the summary if the last one has grown old. */
export function refreshSummary(run: Run): void {
  if (run.now() - run.summaryAt >= refreshMs) writeSummary(run);
}

/** Says in Temporal's UI what the run is doing; costs no history. */
export function showProgress(run: Run): void {
  const { iteration, maxIterations, pendingToolCalls, inbox } = run.state;
  const open = pendingToolCalls.filter((call) => call.status !== 'settled');
  const doing =
    open.length === 0 ? 'model' : `tools: ${open.map((call) => call.call.name).join(', ')}`;
  const waiting = inbox.length === 0 ? '' : ` · ${inbox.length} messages waiting`;
  setCurrentDetails(
    `iteration ${iteration} of ${maxIterations} · ${doing.slice(0, 500)}${waiting}`,
  );
}
