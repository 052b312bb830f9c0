/** Deciding, answering, pausing and steering from the command line. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunHandle } from '../../src/client/run-handle.ts';
import { resultTexts } from '../support/transcript.ts';
import type { Ended } from './cli.ts';
import { until } from './cli.ts';
import type { ControlProject } from './control-project.ts';
import { callsOf, makeControlProject, reached } from './control-project.ts';
import { runHere, startHere } from './in-process.ts';

let project: ControlProject;
const undo: (() => Promise<void>)[] = [];

beforeAll(async () => {
  project = await makeControlProject((step) => undo.push(step));
});
afterAll(async () => {
  for (const step of undo.toReversed()) await step();
});

async function everloop(...args: string[]): Promise<Ended> {
  return await runHere(project, ...args);
}

async function resultsOf(run: RunHandle): Promise<readonly string[]> {
  return resultTexts(await run.messages());
}

describe('approve', () => {
  it('lets the only call that waits run, and records the login name', async () => {
    const run = await project.startedRun('payer', 'waiting:approval');
    const { id } = run;
    const { code, stdout } = await everloop('approve', id);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^allowed: pay \{"cents":50\} \(/)]);
    await reached(run, 'completed');
    expect(await resultsOf(run)).toEqual(['paid 50']);
    const watched = await everloop('watch', id);
    expect(watched.stdout).toContain('? pay {"cents":50} waits for approval\n');
    expect(watched.stdout).toMatch(/✓ pay: allowed by \S+\n/);
  });

  it('runs a call with another input', async () => {
    const run = await project.startedRun('payer', 'waiting:approval');
    const { id } = run;
    const [call = ''] = await callsOf(run);
    const args = ['approve', id, call, '--input', '{"cents":5}', '--by', 'ann', '--json'];
    const { code, stdout } = await everloop(...args);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ id, decision: 'edit', calls: [call], by: 'ann' });
    await reached(run, 'completed');
    expect(await resultsOf(run)).toEqual(['paid 5']);
    const watched = await everloop('watch', id);
    expect(watched.stdout).toContain('✓ pay {"cents":5}: allowed with this input by ann\n');
  });

  it('lists the calls that wait when it is not clear which is meant, and decides on none', async () => {
    const run = await project.startedRun('spender', 'waiting:approval');
    const { id } = run;
    const [first = '', second = '', third = ''] = await callsOf(run);
    const unclear = await everloop('approve', id);
    expect([unclear.code, unclear.stdout]).toEqual([2, '']);
    expect(unclear.stderr).toContain(`3 calls of run ${id} wait for approval: say which`);
    for (const [call, cents] of [
      [first, 1],
      [second, 2],
      [third, 3],
    ]) {
      expect(unclear.stderr).toContain(`pay {"cents":${cents}} (${call})\n`);
    }
    const wrong = await everloop('approve', id, first, 'nothing');
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain(`call nothing of run ${id} does not wait for approval`);
    expect(wrong.stderr).toContain(`everloop show ${id}`);
    expect(await callsOf(run)).toEqual([first, second, third]);

    const denied = await everloop('deny', id, second, '--reason', 'too much', '--by', 'bob');
    expect(denied.stdout).toBe(`denied: pay {"cents":2} (${second})\n`);
    const again = await everloop('deny', id, second);
    expect([again.code, again.stdout]).toEqual([1, '']);
    const rest = await everloop('approve', id, '--all', '--remember', '--json');
    expect(JSON.parse(rest.stdout)).toMatchObject({ calls: [first, third] });
    // The fourth call needs no approval any more.
    await reached(run, 'completed');
    expect(await resultsOf(run)).toEqual([
      'paid 1',
      'denied by user: too much',
      'paid 3',
      'paid 4',
    ]);
    const watched = await everloop('watch', id);
    expect(watched.stdout).toContain('✗ pay: denied by bob: too much\n');
  });

  it.each([
    [['--input', 'five'], 2, '--input is no JSON'],
    [['--input', '[5]'], 2, '--input is no JSON object'],
    [['--input', '{}', '--all'], 2, 'cannot be used with'],
    [['some', '--all'], 2, 'both calls and --all are given'],
  ])('refuses %j before anything is asked', async (args, code, says) => {
    const ended = await everloop('approve', 'any-run', ...args);
    expect([ended.code, ended.stdout]).toEqual([code, '']);
    expect(ended.stderr).toContain(says);
  });

  it('of a run that is not there, has ended or waits for nothing says so', async () => {
    const missing = await everloop('approve', 'no-such-run');
    expect(missing.code).toBe(4);
    const run = await project.startedRun('asker', 'waiting:answer');
    const { id } = run;
    const nothing = await everloop('deny', id, '--all');
    expect(nothing.code).toBe(2);
    expect(nothing.stderr).toContain(`no call of run ${id} waits for approval`);
    await everloop('cancel', id);
    await reached(run, 'cancelled');
    for (const [command, ...rest] of [['approve'], ['answer', 'c', 'text'], ['pause']]) {
      const ended = await everloop(command ?? '', id, ...rest);
      expect([ended.code, ended.stdout]).toEqual([1, '']);
      expect(ended.stderr).toContain(`has ended: there is nothing to ${command}`);
      expect(ended.stderr).toContain(`everloop show ${id}`);
    }
  });
});

it.each([
  ['approve', []],
  ['pause', []],
  ['answer', ['c', 'text']],
])('%s without a Worker says that one is needed, and does not wait', async (command, rest) => {
  const elsewhere = await project.withoutWorker();
  const { code, stdout, stderr } = await everloop(command, elsewhere.id, ...rest);
  expect([code, stdout]).toEqual([3, '']);
  expect(stderr).toContain(`no Worker works for run ${elsewhere.id} now`);
  expect(stderr).toContain(`everloop worker), then ${command} again`);
  await elsewhere.terminate();
});

describe('answer', () => {
  it('gives the answer as an argument, through a pipe, or as an error', async () => {
    const runs = await Promise.all(
      [0, 1, 2].map(() => project.startedRun('asker', 'waiting:answer')),
    );
    const [one = '', two = '', three = ''] = runs.map(({ id }) => id);
    const [call = ''] = await callsOf(project.everloop.run(one));
    const given = await everloop('answer', one, call, 'blue');
    expect(given.stdout).toMatch(/^answered: ask_user \{"question":"Which colour\?"/);
    const args = ['answer', two, call, '--by', 'bob', '--json'];
    const piped = await startHere(project, args, { input: 'green\n' }).ended;
    expect(JSON.parse(piped.stdout)).toEqual({ id: two, callId: call, isError: false, by: 'bob' });
    await everloop('answer', three, call, 'on holiday', '--error');
    for (const run of runs) await reached(run, 'completed');
    expect((await Promise.all(runs.map(resultsOf))).flat()).toEqual([
      'blue',
      'green',
      'on holiday',
    ]);
    expect(JSON.stringify(await runs[2]?.messages())).toContain('"isError":true');
    expect((await everloop('watch', two)).stdout).toContain('✓ ask_user: answered by bob\n');
  });

  it('is refused without text, and for a call that does not wait for it', async () => {
    const run = await project.startedRun('payer', 'waiting:approval');
    const { id } = run;
    const [call = ''] = await callsOf(run);
    const empty = await everloop('answer', id, call);
    expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining('there is no answer')]);
    const wrong = await everloop('answer', id, call, 'yes');
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain('waits for an approval, not for an answer');
    expect(wrong.stderr).toContain(`do:  see where the run stands: everloop show ${id}`);
    await everloop('cancel', id);
  });
});

describe('pause and resume', () => {
  it('let a run stand still at the end of its iteration and go on', async () => {
    const run = await project.startedRun('payer', 'waiting:approval');
    const { id } = run;
    const paused = await everloop('pause', id, '--reason', 'lunch', '--by', 'ann');
    expect(paused.stdout).toBe(
      `run ${id} pauses at the end of its iteration: everloop resume ${id}\n`,
    );
    expect((await everloop('pause', id)).code).toBe(1);
    await everloop('approve', id);
    await reached(run, 'paused');
    const listed = await until(async () => {
      const found = await everloop('ls', '--status', 'paused', '--query', `WorkflowId = '${id}'`);
      return found.stdout === '' ? undefined : found.stdout;
    });
    expect(listed).toMatch(new RegExp(`^${id}\tpaused\tlunch\tpayer\t`));
    const resumed = await everloop('resume', id, '--by', 'bob', '--json');
    expect(JSON.parse(resumed.stdout)).toEqual({ id, paused: false, by: 'bob' });
    await reached(run, 'completed');
    const watched = await everloop('watch', id);
    expect(watched.stdout).toContain('(paused by ann: lunch)\n');
    expect(watched.stdout).toContain('(resumed by bob)\n');
  });

  it('of a run that is not paused is refused', async () => {
    const run = await project.startedRun('payer', 'waiting:approval');
    const { id } = run;
    const { code, stderr } = await everloop('resume', id);
    expect(code).toBe(1);
    expect(stderr).toContain('the run is not paused');
    await everloop('cancel', id);
  });
});

describe('extend-budget', () => {
  it('lets a run go on that waits at its budget', async () => {
    const run = await project.startedRun('patient', 'waiting:budget');
    const { id } = run;
    expect((await everloop('show', id)).stdout).toContain(`everloop extend-budget ${id}`);
    const other = await everloop('extend-budget', id, '--usd', '1');
    expect(other.code).toBe(1);
    expect(other.stderr).toContain('the run has no such limit');
    const more = await everloop('extend-budget', id, '--tokens', '1000');
    expect(more.stdout).toBe(`run ${id} may use 1,000 tokens more\n`);
    const { stdout } = await everloop('extend-budget', id, '--tokens', '50000', '--json');
    expect(JSON.parse(stdout)).toEqual({ id, added: { tokens: 50_000 } });
    expect((await reached(run, 'completed')).state?.output).toBe('Done.');
    const watched = (await everloop('watch', id)).stdout;
    expect(watched).toMatch(/\? the run is at its budget and waits for more until 2/);
    expect(watched).toContain('✓ budget: 50,000 tokens more\n');
  });

  it.each([
    [[], 'nothing is given to the budget'],
    [['--usd', 'much'], 'above 0'],
    [['--wall-time', 'long'], '--wall-time: "long" is no duration'],
  ])('refuses %j', async (args, says) => {
    const ended = await everloop('extend-budget', 'any-run', ...args);
    expect([ended.code, ended.stdout]).toEqual([2, '']);
    expect(ended.stderr).toContain(says);
  });
});

describe('send', () => {
  it('--steer cuts the model off, and keeps what it has said', async () => {
    const run = await project.startedRun('speaker', 'running');
    const { id } = run;
    await until(async () => {
      const { open } = await run.snapshot();
      return open.some(({ status }) => status === 'started') ? true : undefined;
    });
    const { code, stdout } = await everloop('send', id, 'Shorter.', '--steer');
    expect([code, stdout]).toEqual([0, `message 1 of run ${id}\n`]);
    expect((await reached(run, 'completed')).state?.output).toBe('Another way.');
  });

  it('--interrupt lets go of calls that wait', async () => {
    const run = await project.startedRun('payer', 'waiting:approval');
    const { id } = run;
    await everloop('send', id, 'Leave that.', '--interrupt');
    await reached(run, 'completed');
    expect(await resultsOf(run)).toEqual(['not executed: pay']);
    expect((await everloop('watch', id)).stdout).toContain(
      '✗ pay: not decided, something else came first\n',
    );
    const both = await everloop('send', id, 'x', '--steer', '--interrupt');
    expect(both.code).toBe(2);
  });
});

describe('what waits', () => {
  it('is shown with its input, its time and what to type, and found in the list', async () => {
    const run = await project.startedRun('payer', 'waiting:approval');
    const { id } = run;
    const [call = ''] = await callsOf(run);
    const { stdout } = await everloop('show', id);
    expect(stdout).toContain(`everloop approve ${id} ${call} (or: everloop deny ${id} ${call})`);
    expect(stdout).toMatch(
      new RegExp(`\nawaiting approval since \\d+ s: pay \\{"cents":50\\} \\(${call}\\)\n`),
    );
    const listed = await until(async () => {
      const query = `WorkflowId = '${id}'`;
      const found = await everloop('ls', '--status', 'waiting:approval', '--query', query);
      return found.stdout === '' ? undefined : found.stdout;
    });
    expect(listed).toMatch(new RegExp(`^${id}\twaiting:approval\tapproval: pay\tpayer\t`));
    await everloop('cancel', id);
  });

  it('in a sub-agent is found from its parent, and told of in the tree', async () => {
    const run = await project.startedRun('boss', 'running');
    const { id } = run;
    const child = await until(async () => (await run.snapshot()).state?.children?.[0]?.runId);
    await reached(project.everloop.run(child), 'waiting:approval');
    const hinted = await everloop('approve', id);
    expect(hinted.code).toBe(2);
    expect(hinted.stderr).toContain('its sub-agents are runs of their own and may wait');
    const stands = await until(async () => {
      const { stdout } = await everloop('show', id);
      return stdout.includes('waits for approval: pay') ? stdout : undefined;
    });
    expect(stands).toMatch(
      new RegExp(`\nsub-agents:\n {2}${child} {2}waiting:approval {2}boss/task {2}\\d+ tokens`),
    );
    expect((await everloop('show', child)).stdout).toContain(`\nsub-agent of run ${id}, for`);
    const below = await everloop('ls', '--parent', id);
    expect(below.stdout.split('\t')[0]).toBe(child);

    const tree = startHere(project, ['watch', id, '--tree']);
    const asJson = startHere(project, ['watch', id, '--tree', '--json']);
    await tree.said('waits for approval');
    await everloop('approve', child);
    const { code, stdout } = await tree.ended;
    expect(code).toBe(0);
    const short = (runId: string) => `${runId.slice(0, 8)}…`;
    expect(stdout).toContain(`[boss ${short(id)}] → sub-agent boss/task starts: run ${child}\n`);
    expect(stdout).toContain(`[boss/task ${short(child)}] ? pay {"cents":9} waits for approval\n`);
    expect(stdout).toContain(`[boss/task ${short(child)}] The task is done.\n`);
    expect(stdout).toContain(`[boss ${short(id)}] ✓ sub-agent has ended (completed): run ${child}`);
    expect(stdout.split('\n').filter((line) => line !== '' && !line.startsWith('[boss'))).toEqual(
      [],
    );
    const events: { id: string; runId: string }[] = (await asJson.ended).stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(new Set(events.map(({ runId }) => runId))).toEqual(new Set([id, child]));
    const keys = events.map((event) => `${event.runId} ${event.id}`);
    expect(keys).toEqual([...new Set(keys)]);
  });

  it('in a fork is told of in the tree of the run that it was forked from', async () => {
    const run = await project.startedRun('payer', 'waiting:approval');
    const [fork] = await run.fork({ input: 'Once more.' });
    if (fork === undefined) throw new Error('no fork');
    const tree = startHere(project, ['watch', run.id, '--tree']);
    await reached(fork, 'waiting:approval');
    await everloop('approve', run.id);
    await reached(run, 'completed');
    await everloop('deny', fork.id);
    const { code, stdout } = await tree.ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`\\(forked after message 0: run ${fork.id}\\)\n`));
    expect(stdout).toContain(
      `[payer ${fork.id.slice(0, 8)}…] agent payer: Go. (goes on from 1 message of run ${run.id})`,
    );
    expect(stdout).toMatch(new RegExp(`\\[payer ${fork.id.slice(0, 8)}…\\] ✗ pay: denied by`));
  });
});

describe('words that nobody knows', () => {
  it('are refused before anything is asked: a status, an agent', async () => {
    const listed = await everloop('ls', '--status', 'nonsense');
    expect([listed.code, listed.stderr]).toEqual([2, expect.stringContaining('waiting:approval')]);
    const forked = await everloop('fork', 'any', '--agent', 'nobody');
    expect([forked.code, forked.stderr]).toEqual([2, expect.stringContaining('payer')]);
  });
});
