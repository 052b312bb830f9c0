/** The tools node: runs the calls of a response side by side and appends their results in call order. */
import { ActivityFailure, CancelledFailure, TimeoutFailure } from '@temporalio/workflow';
import { resultEntries } from '../loop/close-calls.ts';
import { cutText } from '../loop/cut-text.ts';
import type { PendingToolCall } from '../loop/loop-state.ts';
import { idempotencyKey, toolActivityId } from '../loop/message-ids.ts';
import { beyondDefaults } from '../loop/tool-defaults.ts';
import type { ToolOutcome } from '../loop/tool-outcome.ts';
import { lostOutcome, returnedOutcome } from '../loop/tool-outcome.ts';
import { toolSpecOf } from '../loop/tool-spec-of.ts';
import { nodes, toolOptions } from './activities.ts';
import type { Run } from './run.ts';
import { withinGrace } from './within-grace.ts';

/** Longest summary of a call in Temporal's own UI; the server refuses more than 400 bytes. */
const summaryLength = 80;

/** Runs every call that can be run. When the run is cancelled meanwhile, the ending closes what is still open. */
export async function runTools(run: Run): Promise<void> {
  const proposed = run.state.pendingToolCalls.filter((pending) => pending.status === 'proposed');
  if (run.state.agent?.serialTools === true) {
    for (const pending of proposed) {
      if (run.state.cancelRequested) break;
      await runCall(run, pending);
    }
  } else {
    await Promise.all(proposed.map((pending) => runCall(run, pending)));
  }
  if (run.state.cancelRequested) return;
  run.apply({ type: 'appended', entries: resultEntries(run.state) });
}

async function runCall(run: Run, { call, index }: PendingToolCall): Promise<void> {
  const { agent, iteration, lastResponse } = run.state;
  const tool = agent === undefined ? undefined : toolSpecOf(agent, call.name);
  if (agent === undefined || tool === undefined || lastResponse?.message === undefined) {
    throw new Error(`a call of ${call.name} was proposed without its agent, tool or message`);
  }
  run.apply({ type: 'tool-started', callId: call.id });
  const options = toolOptions(agent, tool, toolActivityId(iteration, call.id), summaryOf(call));
  const running = nodes.everloopRunTool.executeWithOptions(options, [
    {
      agent: agent.name,
      call,
      idempotencyKey: idempotencyKey(lastResponse.message.id, index),
      ...beyondDefaults(tool),
    },
  ]);
  const outcome = await withinGrace(run, running, returnedOutcome, outcomeOfFailure);
  run.noteCancellation();
  if (outcome === undefined) return;
  run.apply({ type: 'tool-ended', at: Date.now(), callId: call.id, outcome });
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
