/** What is said of a run's open calls: in words, and never against what is known of its Workers. */
import { describe, expect, it } from 'vitest';
import { noUsage } from '../../src/chat/usage-total.ts';
import { explain } from '../../src/client/explain.ts';
import type { OpenActivity, RunSnapshot } from '../../src/client/run-snapshot.ts';
import { startState } from '../../src/loop/apply.ts';
import type { LoopState } from '../../src/loop/loop-state.ts';

const now = 1_800_000_000_000;

function snapshot(workers: number, ...open: OpenActivity[]): RunSnapshot {
  return { id: 'r', temporalRunId: 't', taskQueue: 'q', status: 'running', open, workers };
}

function toolCall(activity: Partial<OpenActivity>): OpenActivity {
  return { id: '2/call', name: 'everloopRunTool', status: 'scheduled', attempt: 1, ...activity };
}

const lost = 'but its Worker has not been heard of lately';

describe('an open call is told in words', () => {
  it.each<[name: string, workers: number, activity: Partial<OpenActivity>, says: string]>([
    ['that no Worker has taken yet', 0, {}, ' waits for a Worker.'],
    ['that a Worker works on', 1, { status: 'started' }, ' is running.'],
    ['whose Worker is gone', 0, { status: 'started' }, ` is running, ${lost}.`],
    ['that is told to stop', 1, { status: 'cancelling' }, ' is being cancelled.'],
    [
      'that is told to stop and whose Worker is gone',
      0,
      { status: 'cancelling' },
      ` is being cancelled, ${lost}.`,
    ],
    [
      'that has failed and waits for its next attempt',
      1,
      { attempt: 2, lastFailure: 'rate limited', nextAttemptAt: now + 4_500 },
      ': rate limited (attempt 2 in 5 s)',
    ],
    [
      'whose next attempt is due',
      1,
      { attempt: 2, lastFailure: 'rate limited', nextAttemptAt: now - 1 },
      ': rate limited (attempt 2 is due)',
    ],
    [
      'whose next attempt nobody can make',
      0,
      { attempt: 2, lastFailure: 'rate limited', nextAttemptAt: now + 4_500 },
      ': rate limited (attempt 2 as soon as a Worker is there)',
    ],
    [
      'that has failed and is tried again',
      1,
      { status: 'started', attempt: 3, lastFailure: 'rate limited' },
      ': rate limited (attempt 3 is running)',
    ],
  ])('%s', (_, workers, activity, says) => {
    const [first] = explain(snapshot(workers, toolCall(activity)), now);
    expect(first).toBe(`Tool call call of iteration 2${says}`);
  });

  it.each([
    ['activity Heartbeat timeout', 'its Worker stopped answering'],
    ['activity StartToClose timeout', 'it took longer than it may'],
    ['activity ScheduleToStart timeout', 'no Worker took it in time'],
    ['activity ScheduleToClose timeout', 'it took longer than all its attempts may'],
    ['Worker is shutting down and this activity did not complete in time', 'its Worker shut down'],
    ['WORKER_SHUTDOWN', 'its Worker shut down'],
    ['my activity Heartbeat timeout text', 'my activity Heartbeat timeout text'],
  ])('that failed with %j', (lastFailure, words) => {
    const [first] = explain(snapshot(0, toolCall({ attempt: 2, lastFailure })), now);
    expect(first).toBe(
      `Tool call call of iteration 2: ${words} (attempt 2 as soon as a Worker is there)`,
    );
  });
});

it('a run without a Worker is told to wait for one, after what is open', () => {
  expect(explain(snapshot(0, toolCall({})), now)).toEqual([
    'Tool call call of iteration 2 waits for a Worker.',
    'No Worker has asked for work on task queue q lately: the run waits for one.',
    'Start one with: everloop dev (or everloop worker).',
  ]);
});

it.each([
  ['5/compact/12', 'everloopCallModel', 'Summing up the conversation in iteration 5'],
  ['5/model.2', 'everloopCallModel', 'The model call of iteration 5'],
  ['5/result/call_1', 'everloopReadResult', 'Reading what the sub-agent of call call_1 came to'],
  ['5/hook/onLoop', 'everloopRunHook', 'Asking the hooks for onLoop'],
  ['restore', 'everloopRestoreState', 'Looking for the point to go on from'],
])('an open Activity %s of %s is called: %s', (id, name, what) => {
  const activity: OpenActivity = { id, name, status: 'started', attempt: 1 };
  expect(explain(snapshot(1, activity), now)).toEqual([`${what} is running.`]);
});

it('a run that waits for sub-agents names each and its run, and none that has answered', () => {
  const state = startState({
    type: 'run-started',
    at: now,
    runId: 'r',
    firstTemporalRunId: 't',
    start: { agent: 'boss', input: 'go' },
  });
  const child = (callId: string) => ({
    runId: `run-${callId}`,
    callId,
    agent: 'boss/task',
    usage: noUsage,
  });
  const call = (id: string, status: 'running' | 'proposed') => ({
    status,
    call: { id, name: 'task', arguments: '{}' },
    index: 0,
  });
  const waiting: LoopState = {
    ...state,
    children: [child('old'), child('c1')],
    pendingToolCalls: [call('c1', 'running'), call('c2', 'proposed')],
  };
  expect(explain({ ...snapshot(1), state: waiting }, now)).toEqual([
    'Sub-agent boss/task works on call c1: run run-c1.',
  ]);
});
