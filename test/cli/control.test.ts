/** Deciding, answering, pausing and steering from the command line. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Project } from './cli.ts';
import { until } from './cli.ts';
import { makeControlProject, reached, shown, startedRun } from './control-project.ts';

let project: Project;
const undo: (() => Promise<void>)[] = [];

beforeAll(async () => {
  project = await makeControlProject((step) => undo.push(step));
});
afterAll(async () => {
  for (const step of undo.toReversed()) await step();
});

async function resultsOf(id: string): Promise<readonly string[]> {
  const { stdout } = await project.run('show', id, '--full');
  return stdout.split('\n').filter((line) => /^ {2}[←✗] /.test(line));
}

async function callsOf(id: string): Promise<readonly string[]> {
  const { state } = await shown(project, id);
  return state.pendingToolCalls.map(({ call }) => call.id);
}

describe('approve', () => {
  it('lets the only call that waits run, and records the login name', async () => {
    const id = await startedRun(project, 'payer', 'waiting:approval');
    const { code, stdout } = await project.run('approve', id);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^allowed: pay \{"cents":50\} \(/)]);
    await reached(project, id, 'completed');
    expect(await resultsOf(id)).toEqual(['  ← pay: paid 50']);
    const watched = await project.run('watch', id);
    expect(watched.stdout).toContain('? pay {"cents":50} waits for approval\n');
    expect(watched.stdout).toMatch(/✓ pay: allowed by \S+\n/);
  });

  it('runs a call with another input', async () => {
    const id = await startedRun(project, 'payer', 'waiting:approval');
    const [call = ''] = await callsOf(id);
    const args = ['approve', id, call, '--input', '{"cents":5}', '--by', 'ann', '--json'];
    const { code, stdout } = await project.run(...args);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ id, decision: 'edit', calls: [call], by: 'ann' });
    await reached(project, id, 'completed');
    expect(await resultsOf(id)).toEqual(['  ← pay: paid 5']);
    const watched = await project.run('watch', id);
    expect(watched.stdout).toContain('✓ pay {"cents":5}: allowed with this input by ann\n');
  });

  it('lists the calls that wait when it is not clear which is meant, and decides on none', async () => {
    const id = await startedRun(project, 'spender', 'waiting:approval');
    const [first = '', second = '', third = ''] = await callsOf(id);
    const unclear = await project.run('approve', id);
    expect([unclear.code, unclear.stdout]).toEqual([2, '']);
    expect(unclear.stderr).toContain(`3 calls of run ${id} wait for approval: say which`);
    for (const [call, cents] of [
      [first, 1],
      [second, 2],
      [third, 3],
    ]) {
      expect(unclear.stderr).toContain(`pay {"cents":${cents}} (${call})\n`);
    }
    const wrong = await project.run('approve', id, first, 'nothing');
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain(`call nothing of run ${id} does not wait for approval`);
    expect(wrong.stderr).toContain(`everloop show ${id}`);
    expect(await callsOf(id)).toEqual([first, second, third]);

    const denied = await project.run('deny', id, second, '--reason', 'too much', '--by', 'bob');
    expect(denied.stdout).toBe(`denied: pay {"cents":2} (${second})\n`);
    const again = await project.run('deny', id, second);
    expect([again.code, again.stdout]).toEqual([1, '']);
    const rest = await project.run('approve', id, '--all', '--remember', '--json');
    expect(JSON.parse(rest.stdout)).toMatchObject({ calls: [first, third] });
    // The fourth call needs no approval any more.
    await reached(project, id, 'completed');
    expect(await resultsOf(id)).toEqual([
      '  ← pay: paid 1',
      '  ✗ pay: denied by user: too much',
      '  ← pay: paid 3',
      '  ← pay: paid 4',
    ]);
    const watched = await project.run('watch', id);
    expect(watched.stdout).toContain('✗ pay: denied by bob: too much\n');
  });

  it.each([
    [['--input', 'five'], 2, '--input is no JSON'],
    [['--input', '[5]'], 2, '--input is no JSON object'],
    [['--input', '{}', '--all'], 2, 'cannot be used with'],
    [['some', '--all'], 2, 'both calls and --all are given'],
  ])('refuses %j before anything is asked', async (args, code, says) => {
    const ended = await project.run('approve', 'any-run', ...args);
    expect([ended.code, ended.stdout]).toEqual([code, '']);
    expect(ended.stderr).toContain(says);
  });

  it('of a run that is not there, has ended or waits for nothing says so', async () => {
    const missing = await project.run('approve', 'no-such-run');
    expect(missing.code).toBe(4);
    const id = await startedRun(project, 'asker', 'waiting:answer');
    const nothing = await project.run('deny', id, '--all');
    expect(nothing.code).toBe(2);
    expect(nothing.stderr).toContain(`no call of run ${id} waits for approval`);
    await project.run('cancel', id);
    await reached(project, id, 'cancelled');
    for (const [command, ...rest] of [['approve'], ['answer', 'c', 'text'], ['pause']]) {
      const ended = await project.run(command ?? '', id, ...rest);
      expect([ended.code, ended.stdout]).toEqual([1, '']);
      expect(ended.stderr).toContain(`has ended: there is nothing to ${command}`);
      expect(ended.stderr).toContain(`everloop show ${id}`);
    }
  });
});

describe('answer', () => {
  it('gives the answer as an argument, through a pipe, or as an error', async () => {
    const ids = await Promise.all(
      [0, 1, 2].map(() => startedRun(project, 'asker', 'waiting:answer')),
    );
    const [one = '', two = '', three = ''] = ids;
    const [call = ''] = await callsOf(one);
    const given = await project.run('answer', one, call, 'blue');
    expect(given.stdout).toMatch(/^answered: ask_user \{"question":"Which colour\?"/);
    const piped = await project.pipe('green\n', 'answer', two, call, '--by', 'bob', '--json');
    expect(JSON.parse(piped.stdout)).toEqual({
      id: two,
      callId: call,
      isError: false,
      by: 'bob',
    });
    await project.run('answer', three, call, 'on holiday', '--error');
    for (const id of ids) await reached(project, id, 'completed');
    expect((await Promise.all(ids.map(resultsOf))).flat()).toEqual([
      '  ← ask_user: blue',
      '  ← ask_user: green',
      '  ✗ ask_user: on holiday',
    ]);
    expect((await project.run('watch', two)).stdout).toContain('✓ ask_user: answered by bob\n');
  });

  it('is refused without text, and for a call that does not wait for it', async () => {
    const id = await startedRun(project, 'payer', 'waiting:approval');
    const [call = ''] = await callsOf(id);
    const empty = await project.run('answer', id, call);
    expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining('there is no answer')]);
    const wrong = await project.run('answer', id, call, 'yes');
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain('waits for an approval, not for an answer');
    expect(wrong.stderr).toContain(`do:  see where the run stands: everloop show ${id}`);
    await project.run('cancel', id);
  });
});

describe('pause and resume', () => {
  it('let a run stand still at the end of its iteration and go on', async () => {
    const id = await startedRun(project, 'payer', 'waiting:approval');
    const paused = await project.run('pause', id, '--reason', 'lunch', '--by', 'ann');
    expect(paused.stdout).toBe(
      `run ${id} pauses at the end of its iteration: everloop resume ${id}\n`,
    );
    expect((await project.run('pause', id)).code).toBe(1);
    await project.run('approve', id);
    await reached(project, id, 'paused');
    const listed = await until(async () => {
      const found = await project.run(
        'ls',
        '--status',
        'paused',
        '--query',
        `WorkflowId = '${id}'`,
      );
      return found.stdout === '' ? undefined : found.stdout;
    });
    expect(listed).toMatch(new RegExp(`^${id}\tpaused\tlunch\tpayer\t`));
    const resumed = await project.run('resume', id, '--by', 'bob', '--json');
    expect(JSON.parse(resumed.stdout)).toEqual({ id, paused: false, by: 'bob' });
    await reached(project, id, 'completed');
    const watched = await project.run('watch', id);
    expect(watched.stdout).toContain('(paused by ann: lunch)\n');
    expect(watched.stdout).toContain('(resumed by bob)\n');
  });

  it('of a run that is not paused is refused', async () => {
    const id = await startedRun(project, 'payer', 'waiting:approval');
    const { code, stderr } = await project.run('resume', id);
    expect(code).toBe(1);
    expect(stderr).toContain('the run is not paused');
    await project.run('cancel', id);
  });
});

describe('send', () => {
  it('--steer cuts the model off, and keeps what it has said', async () => {
    const id = await startedRun(project, 'speaker', 'running');
    await until(async () => {
      const { open } = await shown(project, id);
      return open.some(({ status }) => status === 'started') ? true : undefined;
    });
    const { code, stdout } = await project.run('send', id, 'Shorter.', '--steer');
    expect([code, stdout]).toEqual([0, `message 1 of run ${id}\n`]);
    expect((await reached(project, id, 'completed')).state.output).toBe('Another way.');
  });

  it('--interrupt lets go of calls that wait', async () => {
    const id = await startedRun(project, 'payer', 'waiting:approval');
    await project.run('send', id, 'Leave that.', '--interrupt');
    await reached(project, id, 'completed');
    expect(await resultsOf(id)).toEqual(['  ✗ pay: not executed: pay']);
    expect((await project.run('watch', id)).stdout).toContain(
      '✗ pay: not decided, something else came first\n',
    );
    const both = await project.run('send', id, 'x', '--steer', '--interrupt');
    expect(both.code).toBe(2);
  });
});

describe('what waits', () => {
  it('is shown with its input, its time and what to type, and found in the list', async () => {
    const id = await startedRun(project, 'payer', 'waiting:approval');
    const [call = ''] = await callsOf(id);
    const { stdout } = await project.run('show', id);
    expect(stdout).toContain(`everloop approve ${id} ${call} (or: everloop deny ${id} ${call})`);
    expect(stdout).toMatch(
      new RegExp(`\nawaiting approval since \\d+ s: pay \\{"cents":50\\} \\(${call}\\)\n`),
    );
    const listed = await until(async () => {
      const query = `WorkflowId = '${id}'`;
      const found = await project.run('ls', '--status', 'waiting:approval', '--query', query);
      return found.stdout === '' ? undefined : found.stdout;
    });
    expect(listed).toMatch(new RegExp(`^${id}\twaiting:approval\tapproval: pay\tpayer\t`));
    await project.run('cancel', id);
  });

  it('in a sub-agent is found from its parent, and told of in the tree', async () => {
    const id = (await project.run('start', 'boss', 'Go.')).stdout.trim();
    const child = await until(async () => (await shown(project, id)).state.children?.[0]?.runId);
    await reached(project, child, 'waiting:approval');
    const hinted = await project.run('approve', id);
    expect(hinted.code).toBe(2);
    expect(hinted.stderr).toContain('its sub-agents are runs of their own and may wait');
    const stands = await until(async () => {
      const { stdout } = await project.run('show', id);
      return stdout.includes('waits for approval: pay') ? stdout : undefined;
    });
    expect(stands).toMatch(
      new RegExp(`\nsub-agents:\n {2}${child} {2}waiting:approval {2}boss/task {2}\\d+ tokens`),
    );
    expect((await project.run('show', child)).stdout).toContain(`\nsub-agent of run ${id}, for`);
    const below = await project.run('ls', '--parent', id);
    expect(below.stdout.split('\t')[0]).toBe(child);

    const tree = project.start('watch', id, '--tree');
    const asJson = project.start('watch', id, '--tree', '--json');
    await tree.said('waits for approval');
    await project.run('approve', child);
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
});
