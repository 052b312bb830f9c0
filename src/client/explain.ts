/** Says in plain words where a run stands: why it waits, why it failed, what to do. */
import type { OpenActivity, RunSnapshot } from './run-snapshot.ts';

/** One or more sentences; the first is the reason, the others what to do. */
export function explain(run: RunSnapshot, now: number = Date.now()): readonly string[] {
  if (run.status !== 'open') return explainEnd(run);
  const lines: string[] = [];
  if (run.stuck !== undefined) {
    lines.push(
      `The Workflow task fails again and again (attempt ${run.stuck.attempt}): the Worker's code does not fit this run.`,
      `Look at the Worker's log; after a fix is deployed the run goes on by itself.`,
    );
  }
  for (const activity of run.open) lines.push(...explainActivity(activity, now));
  if (run.workers === 0) {
    lines.push(
      `No Worker has asked for work on task queue ${run.taskQueue} lately: the run waits for one.`,
      'Start one with: everloop dev (or everloop worker).',
    );
  }
  if (lines.length === 0) lines.push('Between two calls.');
  return lines;
}

function explainEnd(run: RunSnapshot): readonly string[] {
  if (run.state?.stop !== undefined) return [run.state.stop.detail];
  if (run.failure !== undefined) return [run.failure];
  return [`The run was ${run.status} by Temporal's own tools.`];
}

function explainActivity(activity: OpenActivity, now: number): readonly string[] {
  const what = describeActivity(activity);
  if (activity.lastFailure === undefined) {
    if (activity.status === 'scheduled') return [`${what} waits for a Worker.`];
    return [
      activity.status === 'cancelling' ? `${what} is being cancelled.` : `${what} is running.`,
    ];
  }
  const attempt = `attempt ${activity.attempt}`;
  const seconds = Math.max(0, Math.ceil(((activity.nextAttemptAt ?? now) - now) / 1000));
  const when =
    activity.status === 'scheduled' ? `${attempt} in ${seconds} s` : `${attempt} is running`;
  return [`${what}: ${activity.lastFailure} (${when})`];
}

function describeActivity({ id, name }: OpenActivity): string {
  if (name === 'everloopResolveAgent') return 'The agent is not resolved yet';
  const [iteration, call] = id.split('/');
  return name === 'everloopCallModel'
    ? `The model call of iteration ${iteration}`
    : `Tool call ${call} of iteration ${iteration}`;
}
