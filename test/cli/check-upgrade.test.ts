/** Checking a build by command: against open runs of a server, and against a folder of histories. */
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { bundleWorkflows } from '../../src/engine/workflow-bundle.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import type { Harness } from '../support/harness.ts';
import { sharedBundle, startHarness } from '../support/harness.ts';
import type { Project } from './cli.ts';
import { makeProject, until } from './cli.ts';

let project: Project;
const undo: (() => Promise<void>)[] = [];
let against: string[];

/** The lines of a `--json` output. */
function linesOf(stdout: string): readonly Record<string, unknown>[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

beforeAll(async () => {
  against = ['--against', sharedBundle().codePath];
  project = await makeProject({}, {}, (step) => undo.push(step));
  const histories = fileURLToPath(new URL('../histories/', import.meta.url));
  const names = await readdir(histories);
  const take = async (folder: string, start: string, name: string) => {
    await mkdir(join(project.folder, folder), { recursive: true });
    const found = names.find((each) => each.startsWith(`${start}@`)) ?? '';
    await copyFile(join(histories, found), join(project.folder, folder, name));
  };
  await take('kept', 'tools-in-order', 'b.json');
  await take('kept/old', 'an-open-run', 'a.json');
  await take('kept/node_modules', 'an-answer', 'skipped.json');
  await project.write('kept/package.json', '{"name":"kept"}');
  await project.write('kept/notes.txt', 'no history');
  const events = [
    { workflowExecutionStartedEventAttributes: { workflowType: { name: 'orderWorkflow' } } },
  ];
  await project.write('kept/order.json', JSON.stringify({ events }));
  const throwing = new URL('../replay/throwing-workflow.ts', import.meta.url);
  await project.write('throwing.js', (await bundleWorkflows(throwing.pathname)).code);
});
afterAll(async () => {
  for (const step of undo) await step();
});

describe('a folder of histories', () => {
  it('is checked whole, and what is no history of a run is passed over', async () => {
    const { code, stdout, stderr } = await project.run('check-upgrade', 'kept', ...against);
    expect([code, stderr]).toEqual([0, '2 other JSON files passed over.\n']);
    const rows = stdout.trimEnd().split('\n');
    expect(rows.pop()).toBe('2 runs checked: all replay');
    expect(
      rows.map((row) => row.split('\t')).map(([name, , , , , , verdict]) => [name, verdict]),
    ).toEqual([
      [join('kept', 'b.json'), 'replays'],
      [join('kept', 'old', 'a.json'), 'replays'],
    ]);
  });

  it('ends with exit code 1 when one does not replay, saying which and where', async () => {
    const { code, stdout } = await project.run('check-upgrade', 'kept', '--against', 'throwing.js');
    expect(code).toBe(1);
    expect(stdout).toContain(`${join('kept', 'b.json')} does not replay: iteration 1: `);
    expect(stdout).toContain('a bug in the loop');
    expect(stdout).toContain('2 runs checked: 2 would not go on with this code');
  });

  it('ends with exit code 1 when a history is cut off', async () => {
    await mkdir(join(project.folder, 'broken'));
    await project.write('broken/cut.json', '{"events":[{"eventId":"1"');
    const args = ['check-upgrade', 'broken', '--json', ...against];
    const { code, stdout } = await project.run(...args);
    expect(code).toBe(1);
    expect(linesOf(stdout)).toEqual([
      {
        type: 'run',
        name: join('broken', 'cut.json'),
        verdict: 'unreadable',
        problem: expect.stringContaining('cut.json is no history of a run'),
      },
      { type: 'verdict', ok: false, runs: 1, failed: 1, passedOver: 0 },
    ]);
  });

  it('must hold one, and must be there', async () => {
    await mkdir(join(project.folder, 'empty'));
    const empty = await project.run('check-upgrade', 'empty', ...against);
    expect([empty.code, empty.stdout]).toEqual([2, '']);
    expect(empty.stderr).toContain('there is no history of a run in empty');
    const absent = await project.run('check-upgrade', 'absent', ...against);
    expect([absent.code, absent.stdout]).toEqual([4, '']);
    expect(absent.stderr).toContain('there is no folder absent');
  });
});

describe('the open runs of a server', () => {
  const unique = crypto.randomUUID();
  /** Those of this test: other tests have runs on the server, too. */
  const query = `EverloopAgent = 'two-${unique}' OR EverloopAgent = 'one-${unique}'`;
  const ofOwn = ['--query', query];
  let harness: Harness;
  let onServer: Project;

  beforeAll(async () => {
    const silent = scriptedModel(() => ({ text: 'I never come to an end.', stallAfter: 1 }));
    const agent = (instructions: string) => defineAgent({ model: silent, instructions });
    harness = await startHarness({
      agents: { [`one-${unique}`]: agent('One.'), [`two-${unique}`]: agent('Two.') },
    });
    const env = { TEMPORAL_ADDRESS: inject('temporalAddress') };
    onServer = await makeProject({}, env, (step) => undo.push(step));
    await onServer.write('throwing.js', await bundleText());
    const ids = [1, 2, 3].map((n) => [`one-${unique}`, `${unique}-one-${n}`] as const);
    for (const [name, id] of [...ids, [`two-${unique}`, `${unique}-two`] as const]) {
      const run = await harness.everloop.start(name, { id, input: 'Go.' });
      for await (const event of run.events()) if (event.type === 'model-start') break;
    }
    await until(async () => {
      const listed = await Array.fromAsync(harness.everloop.list({ query }));
      return listed.length === 4 ? true : undefined;
    });
  });
  afterAll(async () => {
    for (const { id } of await Array.fromAsync(harness.everloop.list({ query }))) {
      await harness.everloop.run(id).cancel();
      await harness.everloop.run(id).result();
    }
    await harness.stop();
  });

  async function bundleText(): Promise<string> {
    const throwing = new URL('../replay/throwing-workflow.ts', import.meta.url);
    return (await bundleWorkflows(throwing.pathname)).code;
  }

  it('are sampled by agent and build', async () => {
    const args = ['check-upgrade', '--samples', '2', '--json', ...ofOwn, ...against];
    const { code, stdout } = await onServer.run(...args);
    expect(code).toBe(0);
    const runs = linesOf(stdout).slice(0, -1);
    expect(runs.map(({ name }) => name)).toEqual([
      `${unique}-one-1`,
      `${unique}-one-3`,
      `${unique}-two`,
    ]);
    for (const run of runs) {
      expect(run).toMatchObject({
        type: 'run',
        verdict: 'replays',
        build: expect.stringMatching(/./),
      });
    }
    expect(linesOf(stdout).at(-1)).toEqual({
      type: 'verdict',
      ok: true,
      runs: 3,
      failed: 0,
      open: 4,
      passedOver: 0,
    });
  });

  it('are checked all with --all', async () => {
    const { code, stdout } = await onServer.run(
      'check-upgrade',
      '--all',
      '--json',
      ...ofOwn,
      ...against,
    );
    expect(code).toBe(0);
    expect(linesOf(stdout)).toHaveLength(5);
  });

  it('end with exit code 1 when one would not go on', async () => {
    const { code, stdout } = await onServer.run(
      'check-upgrade',
      ...ofOwn,
      '--against',
      'throwing.js',
    );
    expect(code).toBe(1);
    expect(stdout).toContain(`${unique}-two does not replay: iteration 1: `);
    expect(stdout).toContain('4 of 4 open runs checked: 4 would not go on with this code');
  });

  it('are none where no engine was ever started, which is no failure', async () => {
    const { code, stdout } = await project.run('check-upgrade', ...against);
    expect([code, stdout]).toEqual([0, 'no open runs: there is nothing that could break\n']);
  });
});
