/** Replaying a run by command: from the server, from a file, with other code, and with what is none of these. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { bundleWorkflows } from '../../src/engine/workflow-bundle.ts';
import type { LoopState } from '../../src/loop/loop-state.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { sharedBundle, startHarness } from '../support/harness.ts';
import type { Project } from './cli.ts';
import { makeProject } from './cli.ts';

const add = defineTool({
  name: 'add',
  description: 'Adds.',
  effect: 'none',
  input: z.object({ a: z.int(), b: z.int() }),
  execute: ({ a, b }) => String(a + b),
});
const adder = defineAgent({
  model: scriptedModel([
    { calls: [{ name: 'add', input: { a: 1, b: 2 } }] },
    { calls: [{ name: 'add', input: { a: 3, b: 3 } }] },
    { calls: [{ name: 'add', input: { a: 6, b: 4 } }] },
    { text: 'It is 10.' },
  ]),
  instructions: 'You add.',
  tools: [add],
});

const id = `replayed-${crypto.randomUUID()}`;
let project: Project;
const undo: (() => Promise<void>)[] = [];
/** Replays with the Workflow code that the test run has bundled: bundling takes seconds. */
let against: string[];

beforeAll(async () => {
  against = ['--against', sharedBundle().codePath];
  const env = { TEMPORAL_ADDRESS: inject('temporalAddress') };
  project = await makeProject({}, env, (step) => undo.push(step));
  const harness = await startHarness({ agents: { adder } });
  await (await harness.everloop.start('adder', { id, input: 'One to four.' })).result();
  await harness.stop();
  await project.run('export', id, '--format', 'history', '--out', 'run.json');
});
afterAll(async () => {
  for (const step of undo) await step();
});

/** An event of a history file, as far as the tests change it. */
interface FileEvent {
  readonly eventType?: string;
  activityTaskScheduledEventAttributes?: { activityId: string; activityType: { name: string } };
  workflowExecutionStartedEventAttributes?: { workflowType: { name: string } };
}

/** Writes a file like `run.json`, changed. */
async function writeChanged(name: string, change: (event: FileEvent) => void): Promise<void> {
  const { stdout } = await project.run('export', id, '--format', 'history');
  const file: { histories: { events: FileEvent[] }[] } = JSON.parse(stdout);
  for (const event of file.histories.flatMap(({ events }) => events)) change(event);
  await project.write(name, JSON.stringify(file));
}

describe('a run that replays', () => {
  it('ends with exit code 0, the last state of each iteration on a line, and the verdict', async () => {
    const { code, stdout, stderr } = await project.run('replay', id, ...against);
    expect([code, stderr]).toEqual([0, '']);
    const rows = stdout.trimEnd().split('\n');
    expect(rows.pop()).toBe(`run ${id} replays: 4 iterations`);
    expect(rows.map((row) => row.split('\t').slice(0, 3))).toEqual([
      ['0', 'starting', '0'],
      ['1', 'boundary', '3'],
      ['2', 'boundary', '5'],
      ['3', 'boundary', '7'],
      ['4', 'ended: completed', '8'],
    ]);
    expect(rows.at(-1)).toMatch(/\t4\t3\t[0-9a-f]{16}$/);
  });

  it('replays with the code of this program when none is named', async () => {
    const { code, stdout } = await project.run('replay', id);
    expect(code).toBe(0);
    expect(stdout).toContain('replays: 4 iterations');
  });

  it('--json has each state on a line, with its transcript only with --full', async () => {
    const states = async (...options: string[]) => {
      const { stdout } = await project.run('replay', id, '--json', ...against, ...options);
      const lines: { type: string; state: LoopState }[] = stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(lines.pop()).toEqual({ type: 'verdict', runId: id, ok: true, iterations: 4 });
      return lines.map(({ state }) => state);
    };
    const short = await states();
    const full = await states('--full');
    expect(full.map(({ transcript }) => transcript.tail.length)).toEqual([0, 3, 5, 7, 8, 8]);
    expect(short).toEqual(
      full.map(({ transcript: { tail, ...transcript }, ...state }) => ({ ...state, transcript })),
    );
  });

  it('is the same from a file, in a folder that knows no server', async () => {
    const alone = await makeProject();
    const file = join(project.folder, 'run.json');
    const { code, stdout } = await alone.run('replay', file, ...against);
    expect(code).toBe(0);
    expect(stdout).toBe((await project.run('replay', id, ...against)).stdout);
  });
});

describe('a run that does not', () => {
  it('ends with exit code 1, naming the iteration and what is wrong in it', async () => {
    await writeChanged('changed.json', ({ activityTaskScheduledEventAttributes: scheduled }) => {
      if (scheduled?.activityId === '3/model') scheduled.activityType.name = 'other';
    });
    const { code, stdout, stderr } = await project.run('replay', 'changed.json', ...against);
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout).toContain(`run ${id} does not replay: iteration 3: `);
    expect(stdout).toContain('TMPRL1100');

    const json = await project.run('replay', 'changed.json', '--json', ...against);
    expect(json.code).toBe(1);
    const verdict = JSON.parse(json.stdout.trimEnd().split('\n').at(-1) ?? '');
    expect(verdict).toMatchObject({ type: 'verdict', ok: false, iteration: 3 });
  });

  it('is found against code that throws', async () => {
    const throwing = new URL('../replay/throwing-workflow.ts', import.meta.url);
    await project.write('throwing.js', (await bundleWorkflows(throwing.pathname)).code);
    const { code, stdout } = await project.run('replay', id, '--against', 'throwing.js');
    expect(code).toBe(1);
    expect(stdout).toContain('does not replay: iteration 1');
    expect(stdout).toContain('a bug in the loop');
  });
});

describe('what is no history', () => {
  it.each([
    ['text.json', 'not JSON', 'is no history of a run'],
    ['empty.json', '{}', 'it has no list of events'],
    ['none.json', '{"events":[]}', 'it has no list of events'],
    ['list.json', '{"histories":[]}', 'it holds no history'],
    ['odd.json', '{"events":[{"eventType":"EVENT_TYPE_OF_THE_FUTURE"}]}', 'is no history of a run'],
    ['image.json', '\u0000\u0001', 'is no history of a run'],
  ])('is refused with exit code 2: %s', async (name, content, text) => {
    await project.write(name, content);
    const { code, stdout, stderr } = await project.run('replay', name, ...against);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(text);
    expect(stderr).toContain('everloop export');
  });

  it('is refused when it is of another Workflow, which is named', async () => {
    await writeChanged('other.json', ({ workflowExecutionStartedEventAttributes: started }) => {
      if (started) started.workflowType.name = 'orderWorkflow';
    });
    const { code, stderr } = await project.run('replay', 'other.json', ...against);
    expect(code).toBe(2);
    expect(stderr).toContain('it is of a Workflow "orderWorkflow"');
  });

  it('is refused when it is a folder', async () => {
    const { code, stderr } = await project.run('replay', '.', ...against);
    expect(code).toBe(2);
    expect(stderr).toContain('cannot be read');
  });
});

describe('what is no bundle', () => {
  const map = `\n//# sourceMappingURL=data:application/json;base64,e30=`;
  it.each([
    ['absent.js', undefined, 'the bundle absent.js cannot be read'],
    ['notes.js', 'everloopAgentRun', 'it has no source map'],
    ['foreign.js', `exports.orderWorkflow = 1;${map}`, 'it holds no Workflow everloopAgentRun'],
    ['broken.js', `everloopAgentRun = {;${map}`, 'Unexpected token'],
  ])('is refused with exit code 2: %s', async (name, content, text) => {
    if (content !== undefined) await project.write(name, content);
    const { code, stdout, stderr } = await project.run('replay', id, '--against', name);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(text);
  });
});
