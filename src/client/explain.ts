/** Says in plain words where a run stands: why it waits, why it failed, what to do. */

import { budgetWait } from '../loop/budget.ts';
import type { LoopState } from '../loop/loop-state.ts';
import { isCompactActivityId } from '../loop/message-ids.ts';
import { isOpen, isPausedHere } from '../loop/run-status.ts';
import { commandsFor } from './commands-for.ts';
import type { OpenActivity, RunSnapshot } from './run-snapshot.ts';

/** One or more sentences; the first is the reason, the others what to do. */
export function explain(run: RunSnapshot, now: number = Date.now()): readonly string[] {
  if (!isOpen(run.status)) return explainEnd(run);
  const lines: string[] = [];
  if (run.stuck !== undefined) {
    lines.push(
      `The Workflow task fails again and again (attempt ${run.stuck.attempt}): the Worker's code does not fit this run.`,
      `Look at the Worker's log; after a fix is deployed the run goes on by itself.`,
    );
  }
  lines.push(...explainWaits(run, now));
  lines.push(...explainSubAgents(run.state));
  for (const activity of run.open) lines.push(explainActivity(activity, run.workers > 0, now));
  if (run.workers === 0) {
    lines.push(
      `No Worker has asked for work on task queue ${run.taskQueue} lately: the run waits for one.`,
      'Start one with: everloop dev (or everloop worker).',
    );
  }
  if (lines.length === 0) lines.push('Between two calls.');
  return lines;
}

/** Calls that a list of reasons names one by one. */
const namedCalls = 5;

/** Who has to do what before the run goes on. */
function explainWaits({ id, state }: RunSnapshot, now: number): readonly string[] {
  if (state === undefined) return [];
  const lines: string[] = [];
  const awaiting = state.pendingToolCalls.flatMap((pending) =>
    pending.status === 'awaiting' ? [pending] : [],
  );
  for (const { call, wait } of awaiting.slice(0, namedCalls)) {
    const until = wait.deadline === undefined ? '' : `, until ${inTime(wait.deadline)}`;
    const what = `Call ${call.id} of ${call.name}`;
    lines.push(
      `${what} waits for an ${wait.kind}${until}.`,
      `Give it with: ${commandsFor(id, call.id, wait.kind)}`,
    );
  }
  if (awaiting.length > namedCalls) {
    lines.push(`${awaiting.length - namedCalls} further calls wait for somebody.`);
  }
  if (state.budgetWait !== undefined) {
    lines.push(`${budgetWait(state, now)}, until ${inTime(state.budgetWait.deadline)}.`);
  }
  if (state.paused !== undefined) {
    const { by, reason } = state.paused;
    const who = by === undefined ? '' : ` by ${by}`;
    const why = reason === undefined ? '' : `: ${reason}`;
    const when = isPausedHere(state) ? 'Paused' : 'To be paused at the end of this iteration';
    lines.push(`${when}${who}${why}.`, `Let it go on with: everloop resume ${id}`);
  }
  return lines;
}

/** Sub-agents that the run waits for: runs of their own, which may wait for somebody themselves. */
function explainSubAgents(state: LoopState | undefined): readonly string[] {
  const { pendingToolCalls = [], children = [] } = state ?? {};
  const working = pendingToolCalls.flatMap(({ call, status }) =>
    status === 'running' ? (children.findLast(({ callId }) => callId === call.id) ?? []) : [],
  );
  const lines = working
    .slice(0, namedCalls)
    .map(({ runId, agent, callId }) => `Sub-agent ${agent} works on call ${callId}: run ${runId}.`);
  const more = working.length - namedCalls;
  return more > 0 ? [...lines, `${more} further sub-agents work.`] : lines;
}

function inTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

function explainEnd(run: RunSnapshot): readonly string[] {
  if (run.state?.stop !== undefined) return [run.state.stop.detail];
  if (run.failure !== undefined) return [run.failure];
  return [`The run was ${run.status} by Temporal's own tools.`];
}

function explainActivity(activity: OpenActivity, hasWorker: boolean, now: number): string {
  const what = describeActivity(activity);
  const { attempt, status, lastFailure } = activity;
  if (status !== 'scheduled') {
    const isLost = hasWorker ? '' : ', but its Worker has not been heard of lately';
    if (status === 'cancelling') return `${what} is being cancelled${isLost}.`;
    if (lastFailure === undefined) return `${what} is running${isLost}.`;
    return `${what}: ${inWords(lastFailure)} (attempt ${attempt} is running${isLost})`;
  }
  if (lastFailure === undefined) return `${what} waits for a Worker.`;
  const next = hasWorker ? whenDue(activity, now) : 'as soon as a Worker is there';
  return `${what}: ${inWords(lastFailure)} (attempt ${attempt} ${next})`;
}

function whenDue({ nextAttemptAt = 0 }: OpenActivity, now: number): string {
  const seconds = Math.ceil((nextAttemptAt - now) / 1000);
  return seconds > 0 ? `in ${seconds} s` : 'is due';
}

/** What Temporal's server and SDK write themselves when an attempt ends without a word from its code. */
const engineTexts: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/^activity Heartbeat timeout$/i, 'its Worker stopped answering'],
  [/^activity StartToClose timeout$/i, 'it took longer than it may'],
  [/^activity ScheduleToClose timeout$/i, 'it took longer than all its attempts may'],
  [/^activity ScheduleToStart timeout$/i, 'no Worker took it in time'],
  [/^Worker is shutting down and this activity did not complete in time$/, 'its Worker shut down'],
  [/^WORKER_SHUTDOWN$/, 'its Worker shut down'],
];

function inWords(failure: string): string {
  return engineTexts.find(([pattern]) => pattern.test(failure))?.[1] ?? failure;
}

function describeActivity({ id, name }: OpenActivity): string {
  if (name === 'everloopResolveAgent') return 'The agent is not resolved yet';
  if (name === 'everloopRestoreState') return 'Looking for the point to go on from';
  const [iteration, call, moment] = id.split('/');
  if (name === 'everloopReadResult') return `Reading what the sub-agent of call ${moment} came to`;
  if (name === 'everloopSealTranscript') return 'Putting the transcript into the blob store';
  if (name === 'everloopRunHook') return `Asking the hooks for ${moment}`;
  if (isCompactActivityId(id)) return `Summing up the conversation in iteration ${iteration}`;
  return name === 'everloopCallModel'
    ? `The model call of iteration ${iteration}`
    : `Tool call ${call} of iteration ${iteration}`;
}
