/** The tools node: runs the calls of a response side by side and appends their results in call order. */
import {
  ActivityFailure,
  CancelledFailure,
  TemporalFailure,
  TimeoutFailure,
} from '@temporalio/workflow';
import { resultEntries } from '../loop/close-calls.ts';
import { isStopping } from '../loop/decide.ts';
import type { PendingToolCall } from '../loop/loop-state.ts';
import { idempotencyKey, toolActivityId } from '../loop/message-ids.ts';
import { beyondDefaults } from '../loop/tool-defaults.ts';
import type { ToolOutcome } from '../loop/tool-outcome.ts';
import { lostOutcome, returnedOutcome } from '../loop/tool-outcome.ts';
import { toolSpecOf } from '../loop/tool-spec-of.ts';
import { awaitingCall, isParkedInTools, mustAsk } from '../loop/wait.ts';
import { localTools, nodes, toolOptions } from './activities.ts';
import { askHooks, hasHook, isHookLocal, viewFor } from './hooks-node.ts';
import { park, until } from './park.ts';
import type { Run } from './run.ts';
import { shortSummary } from './short-summary.ts';
import { runSubAgent } from './sub-agent-node.ts';
import { withinGrace } from './within-grace.ts';

/** Calls of a response that are run inside the Workflow task: their results, of 100 KB at most, are written together, and the server takes 4 MB. */
const maxLocalCalls = 20;

/** Runs every call that can be run. When the run is cancelled meanwhile, the ending closes what is still open. */
export async function runTools(run: Run): Promise<void> {
  if (run.state.agent?.serialTools === true) {
    for (const { call } of openCalls(run)) {
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

/** Calls that have no result yet. */
function openCalls(run: Run): readonly PendingToolCall[] {
  return run.state.pendingToolCalls.filter(({ status }) => status !== 'settled');
}

async function runBatch(run: Run, isMeant: (pending: PendingToolCall) => boolean): Promise<void> {
  const toAsk = openCalls(run).filter(
    (pending) => isMeant(pending) && pending.status === 'proposed' && pending.asked !== true,
  );
  if (mustAsk(run.state, toAsk)) {
    await askHooks(run, 'onToolStart', { calls: toAsk.map(({ call }) => call) });
  }
  if (isStopping(run.state)) return;
  const calls = openCalls(run).filter(isMeant);
  const [only] = calls;
  if (calls.length === 1 && only?.status === 'proposed') {
    await run.inReach(() => runCall(run, only));
    return;
  }
  const needsSomebody = calls.some(({ status }) => status === 'awaiting');
  await run.inReach(() =>
    Promise.all([
      ...calls.map((pending) => settleCall(run, pending)),
      ...(needsSomebody ? [standStill(run, isMeant)] : []),
    ]),
  );
}

/** Sees a call through to its result: waits for those who decide on it or answer it, and runs it. */
async function settleCall(run: Run, { call: { id } }: PendingToolCall): Promise<void> {
  for (;;) {
    const pending = openCalls(run).find(({ call }) => call.id === id);
    if (pending === undefined || isStopping(run.state) || run.isLeaving) return;
    if (pending.status === 'awaiting') await waitForSomebody(run, pending);
    else await runCall(run, pending);
    // One that makes the run stop stops the others with it.
    if (run.state.halt !== undefined) run.cutOff();
  }
}

async function waitForSomebody(
  run: Run,
  { call: { id }, wait }: Extract<PendingToolCall, { status: 'awaiting' }>,
): Promise<void> {
  const isOver = () => awaitingCall(run.state, id, wait.kind) === undefined;
  const timeoutMs = wait.deadline === undefined ? undefined : wait.deadline - run.now();
  const isInTime = await until(run, isOver, timeoutMs);
  if (!isInTime) run.apply({ type: 'waits-expired', at: run.now() });
}

/** Lets lists know when nothing of the run works while calls wait for somebody. */
async function standStill(run: Run, isMeant: (pending: PendingToolCall) => boolean): Promise<void> {
  const isSettled = () => !openCalls(run).some(isMeant);
  const isParked = () => isParkedInTools(run.state);
  for (;;) {
    await until(run, () => isParked() || isSettled());
    if (!isParked() || isStopping(run.state)) return;
    await park(run, () => !isParked());
  }
}

/** Calls that were answered without being run: their hooks are asked for all of them at once. */
async function askAboutOwnResults(run: Run): Promise<void> {
  const own = run.state.pendingToolCalls.flatMap((pending) =>
    pending.status === 'settled' && (pending.placeholder || pending.answered) ? [pending] : [],
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
  if (tool.subAgent !== undefined) {
    await runSubAgent(run, call, tool.subAgent);
    return;
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
  return shortSummary(`${call.name} ${call.arguments ?? ''}`.trim());
}
