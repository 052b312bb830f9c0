/** Comparing two runs by command. */
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { assistantMessage, userMessage } from '../../src/chat/create-message.ts';
import { textOf } from '../../src/chat/text-of.ts';
import { writeDiff } from '../../src/cli/diff-report.ts';
import type { RunsDiff } from '../../src/client/diff-runs.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import type { Harness } from '../support/harness.ts';
import { startHarness } from '../support/harness.ts';
import type { Project } from './cli.ts';
import { makeProject } from './cli.ts';

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  effect: 'none',
  input: z.object({ at: z.string() }),
  execute: ({ at }) => `line one\nline two\nit is ${at}\nline four`,
});
const looker = defineAgent({
  // The first word of the question is what it looks at.
  model: scriptedModel(({ messages }) => {
    const [at = ''] = textOf(
      messages.findLast(({ role }) => role === 'user') ?? { parts: [] },
    ).split(' ');
    const results = messages.filter(({ role }) => role === 'tool').length;
    return results === 0
      ? { calls: [{ name: 'look', input: { at } }] }
      : { text: 'I have looked.' };
  }),
  instructions: 'You look.',
  tools: [look],
});

const unique = crypto.randomUUID();
const ids = {
  day: `day-${unique}`,
  again: `again-${unique}`,
  night: `night-${unique}`,
  short: `short-${unique}`,
};
let project: Project;
let harness: Harness;
const undo: (() => Promise<void>)[] = [];

beforeAll(async () => {
  const env = { TEMPORAL_ADDRESS: inject('temporalAddress') };
  project = await makeProject({}, env, (step) => undo.push(step));
  harness = await startHarness({ agents: { looker } });
  const { everloop } = harness;
  const history = [userMessage('Hello.'), assistantMessage('Hi.')];
  const run = async (id: string, input: string, maxIterations = 5) =>
    await (await everloop.start('looker', { id, input, history, maxIterations })).result();
  await run(ids.day, 'day please');
  await run(ids.again, 'day please');
  await run(ids.night, 'night please');
  await run(ids.short, 'day please', 1);
});
afterAll(async () => {
  await harness.stop();
  for (const step of undo) await step();
});

describe('two runs that are the same', () => {
  it('end with exit code 0', async () => {
    const { code, stdout, stderr } = await project.run('diff', ids.day, ids.again);
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toBe('both say the same: 6 messages');
    expect(lines).toContain('iterations\t2\t2');
    expect(lines).toContain('status\tcompleted\tcompleted');
    expect(lines.at(-1)).toBe('the runs are the same');
  });
});

describe('two runs that differ', () => {
  it('end with exit code 1, showing from where on and what is said on each side', async () => {
    const { code, stdout, stderr } = await project.run('diff', ids.day, ids.night);
    expect([code, stderr]).toEqual([1, '']);
    const [said = ''] = stdout.split('\n\n');
    expect(said.split('\n')).toEqual([
      'the first 2 messages are the same; message 3 is the first to differ',
      `--- ${ids.day}`,
      `+++ ${ids.night}`,
      '@@ message -3 +3 @@',
      ' user:',
      '-  day please',
      '+  night please',
      '@@ message -4 +4 @@',
      ' assistant:',
      '-  → look {"at":"day"}',
      '+  → look {"at":"night"}',
      '@@ message -5 +5 @@',
      '   ← look: line one',
      '     line two',
      '-    it is day',
      '+    it is night',
      '     line four',
      ' = 1 message the same',
    ]);
  });

  it('differ also where one has only stopped for another reason', async () => {
    const { code, stdout } = await project.run('diff', ids.day, ids.short);
    expect(code).toBe(1);
    expect(stdout).toContain('status\tcompleted\tmax_iterations');
    expect(stdout).toContain('@@ message -6 @@');
    expect(stdout).not.toContain('the runs are the same');
  });

  it('are one object with --json', async () => {
    const { code, stdout } = await project.run('diff', ids.day, ids.night, '--json');
    expect(code).toBe(1);
    const found: RunsDiff = JSON.parse(stdout);
    expect(found).toMatchObject({
      same: false,
      common: 2,
      a: { id: ids.day },
      b: { id: ids.night },
    });
    expect(found.rest.map(({ kind }) => kind)).toEqual(['changed', 'changed', 'changed', 'same']);
    expect(found).toEqual(
      JSON.parse(JSON.stringify(await harness.everloop.diff(ids.day, ids.night))),
    );
  });
});

describe('a run that is not there', () => {
  it('ends with exit code 4, named', async () => {
    const { code, stdout, stderr } = await project.run('diff', ids.day, 'absent');
    expect([code, stdout]).toEqual([4, '']);
    expect(stderr).toContain('there is no run absent');
    const nowhere = await (await makeProject()).run('diff', 'a', 'b');
    expect(nowhere.code).toBe(4);
  });
});

describe('on a terminal', () => {
  /** What a person sees, and the same without colours. */
  function shown(a: string, b: string): { readonly raw: string; readonly plain: string } {
    const stdout = Object.assign(new PassThrough(), { isTTY: true });
    const terminal = {
      env: {},
      directory: '.',
      stdin: new PassThrough(),
      stdout,
      stderr: new PassThrough(),
      interrupted: new AbortController().signal,
    };
    const side = (text: string, id: string) => ({
      index: 0,
      message: {
        role: 'assistant' as const,
        parts: [{ kind: 'text' as const, text }],
        id,
        createdAt: '',
      },
    });
    const outcome = (id: string) => ({
      id,
      agent: 'looker',
      status: 'completed' as const,
      messages: 1,
      iterations: 1,
      modelCalls: 1,
      toolCalls: 0,
      usage: { inputTokens: 1, outputTokens: 2, unreported: 0 },
    });
    writeDiff(
      terminal,
      {
        same: false,
        common: 0,
        rest: [{ kind: 'changed', a: side(a, 'a'), b: side(b, 'b') }],
        a: outcome('a'),
        b: outcome('b'),
      },
      false,
    );
    const raw = String(stdout.read());
    return { raw, plain: stripVTControlCharacters(raw) };
  }

  it('only the words of a line that differ stand out', () => {
    const { raw, plain } = shown('It is a fine day.', 'It is a fine night.');
    expect(plain).toContain('-  It is a fine day.\n+  It is a fine night.\n');
    if (process.env['NO_COLOR'] === undefined) expect(raw).toMatch(/fine .*\[7mnight/);
  });

  it('what a model says cannot steer it', () => {
    const { plain } = shown('\u001b[2Jgone', 'here');
    expect(plain).not.toContain('\u001b');
    expect(plain).toContain('\ufffd[2Jgone');
  });
});
