/** How open calls stand: what the server knows goes before what the run has recorded. */
import { expect, it } from 'vitest';
import { noUsage } from '../../src/chat/usage-total.ts';
import { callStanding } from '../../src/cli/call-standing.ts';
import type { OpenActivity, RunSnapshot } from '../../src/client/run-snapshot.ts';
import type { ChildRun } from '../../src/loop/children.ts';

function activity(status: OpenActivity['status'], id = '3/c'): OpenActivity {
  return { id, name: 'everloopRunTool', status, attempt: 1 };
}

const subAgent: ChildRun = { runId: 'sub', callId: 'c', agent: 'boss/task', usage: noUsage };

it.each<
  [
    standing: string,
    why: string,
    run: Partial<Pick<RunSnapshot, 'status' | 'open' | 'workers'>>,
    recorded?: 'proposed' | undefined,
    children?: readonly ChildRun[],
  ]
>([
  ['proposed', 'it was not started', {}, 'proposed'],
  ['waiting', 'no Worker has it', { open: [activity('scheduled')] }],
  ['waiting', 'there is no Worker at all', { open: [activity('scheduled')], workers: 0 }],
  ['running', 'a Worker works on it', { open: [activity('started')] }],
  ['running', 'a Worker is told to stop it', { open: [activity('cancelling')] }],
  ['lost', 'the Worker that had it is gone', { open: [activity('started')], workers: 0 }],
  ['lost', 'the run was closed over it', { status: 'terminated' }],
  ['running', 'a sub-agent works on it', {}, undefined, [subAgent]],
  ['returned', 'only another call is open', { open: [activity('started', '3/other')] }],
])('a call is %s when %s', (standing, _, run, recorded = undefined, children = []) => {
  const call = { id: 'c', name: 'slow', arguments: '{}' };
  const status = recorded ?? 'running';
  expect(
    callStanding(
      { status: 'running', open: [], workers: 1, ...run },
      { iteration: 3, children },
      { status, call, index: 0 },
    ),
  ).toBe(standing);
});
