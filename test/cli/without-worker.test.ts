/** Looking at runs whose Worker is gone: the server, and the blob store where there is one, tell everything. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import type { TranscriptMessage } from '../../src/chat/transcript-message.ts';
import type { RunExport } from '../../src/cli/export-format.ts';
import type { RunEvent } from '../../src/loop/events.ts';
import type { LoopState } from '../../src/loop/loop-state.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { createFileBlobStore } from '../../src/storage/file-blob-store.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { sharedBundle, startHarness } from '../support/harness.ts';
import type { Project } from './cli.ts';
import { makeProject } from './cli.ts';

/** Enough for a second history, at some twelve events per iteration. */
const iterations = 120;

const read = defineTool({
  name: 'read',
  description: 'Reads.',
  input: z.object({ n: z.int() }),
  effect: 'none',
  execute: ({ n }) => `It says ${n}.`,
});
const long = defineAgent({
  model: scriptedModel(
    ({ messages }) => {
      const n = messages.filter(({ role }) => role === 'tool').length;
      return n < iterations - 1
        ? { text: `Reading ${n}.`, calls: [{ name: 'read', input: { n } }] }
        : { text: 'I have read all.' };
    },
    { name: 'reader' },
  ),
  instructions: 'Read.',
  tools: [read],
  maxIterations: iterations,
});
const silent = defineAgent({
  model: scriptedModel(() => ({ text: '', waitFor: () => new Promise(() => {}) }), {
    name: 'silent',
  }),
  instructions: '',
});

const id = `long-${crypto.randomUUID()}`;
const openId = `open-${crypto.randomUUID()}`;
let events: readonly RunEvent[];
let messages: readonly TranscriptMessage[];
/** Iteration after which the run went on in its second history. */
let continuedAt: number;
let taskQueue: string;
/** A project with the blob store of the Worker, and one without. */
let project: Project;
let elsewhere: Project;
const undo: (() => Promise<void>)[] = [];

beforeAll(async () => {
  const env = { TEMPORAL_ADDRESS: inject('temporalAddress') };
  project = await makeProject({}, env, (step) => undo.push(step));
  elsewhere = await makeProject({}, env, (step) => undo.push(step));
  const blobs = createFileBlobStore(join(project.folder, '.everloop', 'blobs'));
  const harness = await startHarness({ agents: { long, silent }, blobs });
  taskQueue = harness.taskQueue;
  const run = await harness.everloop.start('long', { id, input: 'Go.' });
  events = await Array.fromAsync(run.events());
  messages = await run.messages();
  await harness.everloop.start('silent', { id: openId, input: 'Are you there?' });
  for await (const event of harness.everloop.run(openId).events()) {
    if (event.type === 'model-start') break;
  }
  await harness.stop();
  continuedAt = events.find(({ type }) => type === 'continued')?.iteration ?? 0;
}, 120_000);
afterAll(async () => {
  for (const step of undo) await step();
});

function lines<T>(text: string): T[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

it('ls lists them', async () => {
  const listed = await elsewhere.run('ls', '--query', `TaskQueue = '${taskQueue}'`, '--json');
  const runs = lines<{ id: string; status: string }>(listed.stdout);
  expect(runs.find((run) => run.id === openId)?.status).toBe('running');
  expect(runs.find((run) => run.id === id)?.status).toBe('completed');
});

describe('watch', () => {
  it('tells every event once and in order, across histories', async () => {
    const { code, stdout, stderr } = await elsewhere.run('watch', id, '--json');
    expect(lines(stdout)).toEqual(events);
    expect([code, stderr]).toEqual([0, '']);
  });

  it('goes on after any event', async () => {
    const continued = events.findIndex(({ type }) => type === 'continued');
    for (const at of [0, continued, continued + 1, events.length - 2]) {
      const after = events[at]?.id ?? '';
      const { code, stdout } = await elsewhere.run('watch', id, '--json', '--after', after);
      expect([code, lines(stdout)]).toEqual([0, events.slice(at + 1)]);
    }
  });

  it('tells nothing after the last event, and how the run ended', async () => {
    const after = events.at(-1)?.id ?? '';
    const { code, stdout } = await elsewhere.run('watch', id, '--json', '--after', after);
    expect([code, stdout]).toEqual([0, '']);
  });

  it('waits with a run that waits, and names the event to go on from when it is interrupted', async () => {
    const watch = elsewhere.start('watch', openId);
    await watch.said('user: Are you there?');
    watch.child.kill('SIGINT');
    const { code, stdout, stderr } = await watch.ended;
    expect(code).toBe(130);
    expect(stdout).toBe('agent silent: Are you there?\nuser: Are you there?\n');
    expect(stderr.match(/Durable events only/g)).toHaveLength(1);
    expect(stderr).toMatch(
      new RegExp(`everloop watch ${openId} --after 1\\.\\w{6}\\.\\d+\\.\\d+\n$`),
    );
  }, 200_000);
});

describe('export', () => {
  it.each(['with', 'without'])('has all messages %s the blob store', async (which) => {
    const from = which === 'with' ? project : elsewhere;
    const { code, stdout } = await from.run('export', id);
    expect(code).toBe(0);
    const exported: RunExport = JSON.parse(stdout);
    expect(exported).toMatchObject({
      format: 'everloop-run',
      version: 1,
      runId: id,
      agent: 'long',
      title: 'Go.',
      status: 'completed',
      result: { stopReason: 'completed', iterations },
    });
    expect(exported.messages).toEqual(messages);
  });

  it('writes a document with all messages', async () => {
    const { stdout } = await elsewhere.run('export', id, '--format', 'markdown');
    expect(stdout.match(/^## \d+ · /gm)).toHaveLength(messages.length);
  });

  it('of a run that has not ended has no result', async () => {
    const exported: RunExport = JSON.parse((await elsewhere.run('export', openId)).stdout);
    expect(exported.status).toBe('running');
    expect(exported.result).toBeUndefined();
    expect(exported.messages.map(({ role }) => role)).toEqual(['user']);
  });

  it('writes a history that replays, all parts of it, and leaves nothing else behind', async () => {
    const file = ['--format', 'history', '--out', 'long.json'];
    const { code, stdout, stderr } = await elsewhere.run('export', id, ...file);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(/^long\.json: [\d,]+ bytes\n$/);
    expect((await readdir(elsewhere.folder)).filter((name) => name !== '.everloop')).toEqual([
      'long.json',
    ]);
    const against = ['--against', sharedBundle().codePath];
    const replayed = await elsewhere.run('replay', 'long.json', ...against);
    expect([replayed.code, replayed.stderr]).toEqual([0, '']);
    expect(replayed.stdout).toContain(
      `run ${id} replays: ${iterations} iterations over 2 histories`,
    );
  });
});

describe('replay', () => {
  it('shows the state after each iteration of all histories', async () => {
    const against = ['--against', sharedBundle().codePath];
    const { code, stdout } = await elsewhere.run('replay', id, '--json', ...against);
    expect(code).toBe(0);
    const told = lines<{ type: string; iteration?: number; state?: LoopState }>(stdout);
    expect(told.pop()).toEqual({ type: 'verdict', runId: id, ok: true, iterations });
    expect([...new Set(told.map((line) => line.iteration))]).toEqual(
      Array.from({ length: iterations + 1 }, (_, n) => n),
    );
    const last = told.at(-1)?.state;
    expect(last).toMatchObject({
      phase: { kind: 'ended' },
      transcript: { count: messages.length },
    });
    expect(last?.transcript).not.toHaveProperty('tail');
  });
});

describe('show', () => {
  it('says which part of the history it is, shows the newest messages, and all with --full', async () => {
    const { stdout, stderr } = await elsewhere.run('show', id);
    expect(stdout).toContain("part 2 of the run's history");
    expect(stdout).not.toContain('It says 0.');
    expect(stdout).toContain('I have read all.');
    expect(stderr).toMatch(/^[\d,]+ earlier messages with --full\.\n/);
    const full = await elsewhere.run('show', id, '--full');
    expect(full.stdout.match(/← read: It says \d+\./g)).toHaveLength(iterations - 1);
    expect(full.stderr).toBe('');
    const json = JSON.parse((await elsewhere.run('show', id, '--full', '--json')).stdout);
    expect(json.messages).toEqual(messages);
  });

  it('--at finds the history that holds the iteration', async () => {
    expect(continuedAt).toBeGreaterThan(1);
    for (const at of [0, 1, continuedAt, continuedAt + 1, iterations]) {
      const { stdout } = await elsewhere.run('show', id, '--at', String(at), '--json', '--full');
      const shown: { state: LoopState; messages: TranscriptMessage[] } = JSON.parse(stdout);
      expect(shown.state).toMatchObject({ iteration: at, generation: at > continuedAt ? 2 : 1 });
      const { count } = shown.state.transcript;
      expect(count).toBe(Math.min(2 * at + (at === 0 ? 0 : 1), messages.length));
      expect(shown.messages).toEqual(messages.slice(0, count));
    }
  });

  it('--at an iteration that was never reached says how far the run is', async () => {
    const { code, stderr } = await elsewhere.run('show', id, '--at', '9999');
    expect(code).toBe(4);
    expect(stderr).toContain(`it is at ${iterations} iterations`);
  });
});

describe('a file of an export', () => {
  it('is not replaced unless it is asked for', async () => {
    await elsewhere.write('kept.md', 'mine');
    const file = ['--format', 'markdown', '--out', 'kept.md'];
    const refused = await elsewhere.run('export', openId, ...file);
    expect([refused.code, refused.stdout]).toEqual([2, '']);
    expect(refused.stderr).toContain('--force');
    expect(await readFile(join(elsewhere.folder, 'kept.md'), 'utf8')).toBe('mine');
    expect((await elsewhere.run('export', openId, ...file, '--force')).code).toBe(0);
    expect(await readFile(join(elsewhere.folder, 'kept.md'), 'utf8')).toMatch(
      /^# Are you there\?\n/,
    );
  });

  it.each([
    ['no-such-folder/run.json', 'cannot be written'],
    ['.', 'is no regular file'],
  ])('cannot be %j, and the words say so', async (file, text) => {
    const { code, stdout, stderr } = await elsewhere.run(
      'export',
      openId,
      '--out',
      file,
      '--force',
    );
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(text);
  });
});

it.each(['export', 'watch', 'replay', 'show'])(
  '%s of a run that does not exist ends with exit code 4',
  async (command) => {
    const { code, stdout, stderr } = await elsewhere.run(command, 'no-such-run');
    expect([code, stdout]).toEqual([4, '']);
    expect(stderr).toContain('no-such-run');
  },
);

it.each([
  [['watch', id, '--after', 'the-last'], 'is no event id'],
  [['watch', id, '--after', '1.zzzzzz.3.0'], 'has no event'],
  [['export', id, '--format', 'yaml'], 'Allowed choices are'],
])('%j is refused with exit code 2', async (args, text) => {
  const { code, stdout, stderr } = await elsewhere.run(...args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(text);
});
