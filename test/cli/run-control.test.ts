/** `run` when its calls wait for somebody: at a terminal it asks, elsewhere it says what to type. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resultTexts } from '../support/transcript.ts';
import { until } from './cli.ts';
import type { ControlProject } from './control-project.ts';
import { callsOf, makeControlProject, reached } from './control-project.ts';
import type { StartedHere } from './in-process.ts';
import { runHere, startHere } from './in-process.ts';

let project: ControlProject;
const undo: (() => Promise<void>)[] = [];

beforeAll(async () => {
  project = await makeControlProject((step) => undo.push(step));
});
afterAll(async () => {
  for (const step of undo.toReversed()) await step();
});

function atTerminal(agent: string): StartedHere & { readonly id: string } {
  const id = `${agent}-${crypto.randomUUID()}`;
  return { ...startHere(project, ['run', agent, 'Go.', '--id', id], { tty: true }), id };
}

async function resultsOf(id: string): Promise<readonly string[]> {
  return resultTexts(await project.everloop.run(id).messages());
}

const choice = '[y]es, [n]o, [a]lways, [e]dit';

describe('run at a terminal', () => {
  it('asks for approvals one after another, and is asked no more after always', async () => {
    const started = atTerminal('spender');
    await started.said(`Allow pay {"cents":1}? ${choice}`);
    started.type('n, not now\r');
    await started.said(`Allow pay {"cents":2}? ${choice}`);
    started.type('a\r');
    const { code, stdout, stderr } = await started.ended;
    expect([code, stdout]).toEqual([0, 'All spent.\n']);
    expect(stderr).toMatch(/✗ pay: denied by \S+: not now/);
    expect(stderr).toMatch(/✓ pay: allowed by \S+/);
    expect(stderr).not.toContain('Allow pay {"cents":4}?');
    expect(await resultsOf(started.id)).toEqual([
      'denied by user: not now',
      'paid 2',
      'paid 3',
      'paid 4',
    ]);
  });

  it('asks questions with their choices', async () => {
    const started = atTerminal('asker');
    await started.said('2) green');
    await started.said('Answer (1-2, or a text):');
    started.type('2\r');
    expect((await started.ended).code).toBe(0);
    expect(await resultsOf(started.id)).toEqual(['green']);
  });

  it('asks for its sub-agents, whose decisions go to them', async () => {
    const started = atTerminal('boss');
    await started.said(`Allow pay {"cents":9} of sub-agent boss/task? ${choice}`);
    const run = project.everloop.run(started.id);
    const [child] = (await run.snapshot()).state?.children ?? [];
    started.type('y\r');
    const { code, stdout, stderr } = await started.ended;
    expect([code, stdout]).toEqual([0, 'All done.\n']);
    expect(stderr).toContain(`[run ${child?.runId}] ? pay {"cents":9} waits for approval`);
    expect(await resultsOf(child?.runId ?? '')).toEqual(['paid 9']);
  });

  it('takes its question back when somebody else decides', async () => {
    const started = atTerminal('payer');
    await started.said(choice);
    await runHere(project, 'approve', started.id, '--by', 'ann');
    const { code, stderr } = await started.ended;
    expect(code).toBe(0);
    expect(stderr).toContain('✓ pay: allowed by ann');
  });

  it('detaches on Ctrl-C at the prompt, and the run waits on', async () => {
    const started = atTerminal('payer');
    await started.said(choice);
    started.type('\u0003');
    const { code, stderr } = await started.ended;
    expect(code).toBe(130);
    expect(stderr).toContain(`Detached: run ${started.id} goes on.`);
    const run = project.everloop.run(started.id);
    expect((await run.snapshot()).status).toBe('waiting:approval');
    await run.cancel();
  });
});

describe('run elsewhere', () => {
  it('says what to type, and waits', async () => {
    const id = `payer-${crypto.randomUUID()}`;
    const started = startHere(project, ['run', 'payer', 'Go.', '--id', id]);
    await started.said(`everloop approve ${id} `);
    const [call] = await callsOf(project.everloop.run(id));
    await runHere(project, 'approve', id);
    const { code, stdout, stderr } = await started.ended;
    expect([code, stdout]).toEqual([0, 'Paid.\n']);
    expect(stderr).toContain(`everloop approve ${id} ${call} (or: everloop deny ${id} ${call})`);
  });

  it('says so for sub-agents as well, and with --json tells the events of the run alone', async () => {
    const id = `boss-${crypto.randomUUID()}`;
    const started = startHere(project, ['run', 'boss', 'Go.', '--id', id, '--json'], { tty: true });
    const run = project.everloop.run(id);
    await started.said('everloop approve ');
    const child = await until(async () => (await run.snapshot()).state?.children?.[0]?.runId);
    await reached(project.everloop.run(child), 'waiting:approval');
    await runHere(project, 'approve', child);
    const { code, stdout, stderr } = await started.ended;
    expect(code).toBe(0);
    expect(stderr).toContain(`everloop approve ${child} `);
    const lines: { runId: string; type: string }[] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(new Set(lines.map(({ runId }) => runId))).toEqual(new Set([id]));
    expect(lines.map(({ type }) => type)).toContain('child-end');
  });
});
