/** The tools node: runs the calls of a response side by side and appends their results in call order. */
import {
  ActivityFailure,
  CancellationScope,
  CancelledFailure,
  TemporalFailure,
  TimeoutFailure,
} from '@temporalio/workflow';
import { resultEntries } from '../loop/close-calls.ts';
import { cutText } from '../loop/cut-text.ts';
import { isStopping } from '../loop/decide.ts';
import type { PendingToolCall } from '../loop/loop-state.ts';
import { idempotencyKey, toolActivityId } from '../loop/message-ids.ts';
import { beyondDefaults } from '../loop/tool-defaults.ts';
import type { ToolOutcome } from '../loop/tool-outcome.ts';
import { lostOutcome, returnedOutcome } from '../loop/tool-outcome.ts';
import { toolSpecOf } from '../loop/tool-spec-of.ts';
import { localTools, nodes, toolOptions } from './activities.ts';
import { askHooks, hasHook, isHookLocal, viewFor } from './hooks-node.ts';
import type { Run } from './run.ts';
import { withinGrace } from './within-grace.ts';

/** Calls of a response that are run inside the Workflow task: their results, of 100 KB at most, are written together, and the server takes 4 MB. */
const maxLocalCalls = 20;

/** Longest summary of a call in Temporal's own UI; the server refuses more than 400 bytes. */
const summaryLength = 80;

/** Runs every call that can be run. When the run is cancelled meanwhile, the ending closes what is still open. */
export async function runTools(run: Run): Promise<void> {
  if (run.state.agent?.serialTools === true) {
    for (const { call } of proposedCalls(run)) {
      if (isStopping(run.state)) break;
      await runBatch(run, (pending) => pending.call.id === call.id);
    }
  } else {
    await runBatch(run, () => true);
  }
  if (hasHook(run, 'onToolEnd') && !isStopping(run.state)) await askAboutOwnResults(run);
  if (isStopping(run.state)) return;
  run.apply({ type: 'appended', entries: resultEntries(run.state) });
}

function proposedCalls(run: Run): readonly PendingToolCall[] {
  return run.state.pendingToolCalls.filter((pending) => pending.status === 'proposed');
}

async function runBatch(run: Run, isMeant: (pending: PendingToolCall) => boolean): Promise<void> {
  const meant = proposedCalls(run).filter(isMeant);
  if (hasHook(run, 'onToolStart') && meant.length > 0) {
    await askHooks(run, 'onToolStart', { calls: meant.map(({ call }) => call) });
  }
  if (isStopping(run.state)) return;
  const calls = proposedCalls(run).filter(isMeant);
  const [only] = calls;
  if (calls.length === 1 && only !== undefined) {
    await runCall(run, only);
    return;
  }
  // One that makes the run stop stops the others with it.
  const scope = new CancellationScope();
  await scope.run(() =>
    Promise.all(
      calls.map(async (pending) => {
        await runCall(run, pending);
        if (run.state.halt !== undefined) scope.cancel();
      }),
    ),
  );
}

/** Calls that were answered without being run: their hooks are asked for all of them at once. */
async function askAboutOwnResults(run: Run): Promise<void> {
  const own = run.state.pendingToolCalls.flatMap((pending) =>
    pending.status === 'settled' && pending.placeholder ? [pending] : [],
  );
  if (own.length === 0) return;
  await askHooks(run, 'onToolEnd', {
    calls: own.map(({ call }) => call),
    results: own.map(({ message: { createdAt: _, inherited: __, ...message } }) => message),
  });
}

async function runCall(run: Run, { call, index }: PendingToolCall): Promise<void> {
  const { agent, iteration, lastResponse } = run.state;
  const tool = agent === undefined ? undefined : toolSpecOf(agent, call.name);
  if (agent === undefined || tool === undefined || lastResponse?.message === undefined) {
    throw new Error(`a call of ${call.name} was proposed without its agent, tool or message`);
  }
  const view = viewFor(run.state, 'onToolEnd');
  const activityId = toolActivityId(iteration, call.id);
  const input = {
    agent: agent.name,
    call,
    idempotencyKey: idempotencyKey(lastResponse.message.id, index),
    ...beyondDefaults(tool),
    ...(view !== undefined && { view }),
  };
  if (
    tool.local === true &&
    index < maxLocalCalls &&
    isHookLocal(agent, 'onToolEnd') &&
    (await runLocally(run, { ...input, activityId }))
  )
    return;
  if (isStopping(run.state)) return;
  run.apply({ type: 'tool-started', callId: call.id });
  const options = toolOptions(agent, tool, activityId, summaryOf(call));
  const running = nodes.everloopRunTool.executeWithOptions(options, [input]);
  const outcome = await withinGrace(run, running, returnedOutcome, outcomeOfFailure);
  run.noteCancellation();
  if (outcome === undefined) return;
  run.apply({ type: 'tool-ended', at: run.now(), callId: call.id, outcome });
}

/** True when the call has its result. History keeps nothing else of it, so that start and end are told together. */
async function runLocally(
  run: Run,
  input: Parameters<typeof localTools.everloopRunTool>[0],
): Promise<boolean> {
  const callId = input.call.id;
  run.now();
  const running = localTools.everloopRunTool(input);
  const outcome = await withinGrace(run, running, returnedOutcome, unlessFailed);
  run.noteCancellation();
  if (outcome?.status !== 'finished') return false;
  run.apply({ type: 'tool-started', callId });
  run.apply({ type: 'tool-ended', at: run.now(), callId, outcome });
  return true;
}

function unlessFailed(error: unknown): undefined {
  if (!(error instanceof TemporalFailure)) throw error;
  return undefined;
}

/** A failed tool Activity is no failure of the run: the model learns what is known of its outcome. */
function outcomeOfFailure(error: unknown): ToolOutcome {
  if (error instanceof CancelledFailure) return lostOutcome({ kind: 'called-off' });
  if (!(error instanceof ActivityFailure)) throw error;
  const { cause } = error;
  if (cause instanceof CancelledFailure) return lostOutcome({ kind: 'called-off' });
  if (cause instanceof TimeoutFailure) {
    return lostOutcome({ kind: 'timeout', heartbeat: cause.timeoutType === 'HEARTBEAT' });
  }
  return lostOutcome({ kind: 'failed', message: cause?.message ?? error.message });
}

function summaryOf(call: PendingToolCall['call']): string {
  return cutText(`${call.name} ${call.arguments ?? ''}`.trim(), summaryLength);
}
