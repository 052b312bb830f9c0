/** Runs a call that is a sub-agent: a child run, whose answer is the call's result. */
import {
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  ChildWorkflowCancellationType,
  ChildWorkflowFailure,
  ParentClosePolicy,
  startChild,
  TemporalFailure,
  TerminatedFailure,
  TimeoutFailure,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import type { ToolCall } from '../chat/tool-call.ts';
import type { ToolSpec } from '../loop/agent-spec.ts';
import { isRunResult } from '../loop/call-results.ts';
import type { ChildEnd } from '../loop/child-end.ts';
import { endOfChild, wasCancelled } from '../loop/child-end.ts';
import { childResultActivityId } from '../loop/message-ids.ts';
import type { AgentRunInput, StartInput } from '../loop/run-input.ts';
import { budgetSlice, forkedContextEnd, taskMessage, taskTitle } from '../loop/sub-agent.ts';
import { nodes, readResultOptions } from './activities.ts';
import type { everloopAgentRun } from './agent-run.ts';
import { cancelRun, childDescription } from './child-run.ts';
import type { Run } from './run.ts';
import { withinGrace } from './within-grace.ts';

/** Starts the sub-agent of the call and waits for it. When its parent is called off, so is it. */
export async function runSubAgent(
  run: Run,
  call: ToolCall,
  { agent, context }: NonNullable<ToolSpec['subAgent']>,
): Promise<void> {
  const runId = uuid4();
  const start = startOf(run, call, agent);
  const reach = CancellationScope.current();
  const root = run.state.start.parent?.root ?? run.state.runId;
  run.apply({ type: 'child-started', callId: call.id, runId, agent });
  const child = await CancellationScope.nonCancellable(() =>
    startChild<typeof everloopAgentRun>('everloopAgentRun', {
      ...childDescription(runId, start, { parent: run.state.runId, root }),
      workflowId: runId,
      args: [argumentOf(run, start, context)],
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      parentClosePolicy: ParentClosePolicy.TERMINATE,
      cancellationType: ChildWorkflowCancellationType.ABANDON,
    }),
  );
  let isOpen = true;
  const stopWithParent = async () => {
    if (isOpen) await cancelRun(runId);
  };
  if (reach.consideredCancelled) await stopWithParent();
  else reach.cancelRequested.catch(stopWithParent);
  const ended = await withinGrace(
    run,
    child.result(),
    (result): ChildEnd | 'read' => endOfClosed('completed', result),
    endOfFailure,
  );
  isOpen = false;
  run.noteCancellation();
  if (ended === undefined) return;
  const end = ended === 'read' ? await endOfCancelled(run, call.id, runId) : ended;
  if (end !== undefined) run.apply({ type: 'child-ended', at: run.now(), runId, ...end });
}

/** A cancelled Workflow records no result: its history tells it, unless nobody needs it any more. */
async function endOfCancelled(
  run: Run,
  callId: string,
  runId: string,
): Promise<ChildEnd | undefined> {
  if (run.state.cancelRequested) return { problem: wasCancelled };
  const activityId = childResultActivityId(run.state.iteration, callId);
  const options = { ...readResultOptions(runId), activityId };
  const reading = CancellationScope.nonCancellable(() =>
    nodes.everloopReadResult.executeWithOptions(options, [{ runId }]),
  );
  const end = await withinGrace(
    run,
    reading,
    (result): ChildEnd => (isRunResult(result) ? { result } : { problem: wasCancelled }),
    (error): ChildEnd => {
      if (!(error instanceof TemporalFailure)) throw error;
      return { problem: wasCancelled };
    },
  );
  run.noteCancellation();
  return end;
}

/** `read`: it was cancelled, and its history has to tell what it came to. */
function endOfFailure(error: unknown): ChildEnd | 'read' {
  if (!(error instanceof ChildWorkflowFailure)) throw error;
  const { cause } = error;
  if (cause instanceof CancelledFailure) return 'read';
  const how = cause instanceof TerminatedFailure ? 'terminated' : 'failed';
  if (cause instanceof TimeoutFailure) return endOfClosed('timed-out');
  const result = cause instanceof ApplicationFailure ? cause.details?.[0] : undefined;
  return endOfClosed(how, result, cause?.message);
}

function endOfClosed(how: string, result?: unknown, message?: string): ChildEnd {
  const closed = {
    how,
    ...(result !== undefined && { result }),
    ...(message !== undefined && { message }),
  };
  return endOfChild(closed, false) ?? { problem: wasCancelled };
}

function startOf(run: Run, call: ToolCall, agent: string): StartInput {
  const { runId, start } = run.state;
  const budget = budgetSlice(run.state, run.now());
  const depth = (start.parent?.depth ?? 0) + 1;
  return {
    agent,
    input: taskMessage(call),
    title: taskTitle(call),
    parent: { runId, callId: call.id, depth, root: start.parent?.root ?? runId },
    ...(budget !== undefined && { budget }),
  };
}

function argumentOf(
  run: Run,
  start: StartInput,
  context: NonNullable<ToolSpec['subAgent']>['context'],
): AgentRunInput {
  const message = forkedContextEnd(run.state);
  if (context === 'fresh' || message < 0) return { start };
  const { runId: temporalRunId } = workflowInfo();
  const { agent, input, title, parent, budget } = start;
  return {
    from: {
      point: { runId: run.state.runId, temporalRunId, message },
      previous: { temporalRunId, how: 'forked' },
      agent,
      input,
      ...(title !== undefined && { title }),
      ...(parent !== undefined && { parent }),
      ...(budget !== undefined && { budget }),
    },
  };
}
