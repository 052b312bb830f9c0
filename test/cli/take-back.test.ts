/** Forking a run, taking it back, and letting it try again. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Project } from './cli.ts';
import { imports, makeProject } from './cli.ts';

/** Pays twice, then repeats what the user said last; fails at the end while the file `fixed` is not there. */
const config = `${imports}
  import { existsSync } from 'node:fs';
  export default defineConfig({ taskQueue: 'take-back-${crypto.randomUUID()}', agents: {
    payer: defineAgent({
      model: scriptedModel(({ messages }) => {
        const answers = messages.filter(({ role }) => role === 'assistant').length;
        const said = messages.findLast(({ role }) => role === 'user').parts[0].text;
        if (answers < 2) return { text: 'Paying ' + answers, calls: [{ name: 'pay', input: { cents: answers } }] };
        if (said === 'fail' && !existsSync('fixed')) return { error: { kind: 'bad_request', message: 'the account is closed' } };
        return { text: 'Done with: ' + said };
      }, { name: 'payer' }),
      instructions: '',
      tools: [defineTool({
        name: 'pay', description: 'Pays.', effect: 'keyed', input: z.object({ cents: z.int() }),
        execute: ({ cents }) => 'paid ' + cents,
      })],
    }),
  } });`;

let project: Project;
const undo: (() => Promise<void>)[] = [];

beforeAll(async () => {
  const env = { TEMPORAL_ADDRESS: inject('temporalAddress') };
  project = await makeProject({ 'everloop.config.ts': config }, env, (step) => undo.push(step));
  await project.start('worker').said('Worker for');
});
afterAll(async () => {
  for (const step of undo) await step();
});

/** A run that has ended, and its result's text. */
async function ran(input: string): Promise<string> {
  const id = crypto.randomUUID();
  await project.run('run', 'payer', input, '--id', id);
  return id;
}

async function outputOf(id: string): Promise<string> {
  await project.run('watch', id);
  const { stdout } = await project.run('show', id, '--json');
  const shown: { state: { output: string } } = JSON.parse(stdout);
  return shown.state.output;
}

describe('fork', () => {
  it('prints the ids of the new runs, which go on from the message', async () => {
    const id = await ran('go');
    const { code, stdout } = await project.run('fork', id, '--at', '0', '--count', '2');
    expect(code).toBe(0);
    const ids = stdout.trim().split('\n');
    expect(ids).toHaveLength(2);
    for (const fork of ids) expect(await outputOf(fork)).toBe('Done with: go');
    const shown = await project.run('show', ids[0] ?? '', '--full', '--numbers');
    expect(shown.stdout).toContain(`forked from run ${id}: 1 message inherited`);
    expect(shown.stdout).toContain('0 user (inherited):');
    expect(shown.stdout).toContain('1 assistant:');
  });

  it('takes an edit, an input and --json', async () => {
    const id = await ran('go');
    const edited = await project.run('fork', id, '--at', '0', '--edit', 'stay', '--json');
    const { runs }: { runs: string[] } = JSON.parse(edited.stdout);
    expect(await outputOf(runs[0] ?? '')).toBe('Done with: stay');
    const asked = await project.run('fork', id, '--input', 'more');
    expect(await outputOf(asked.stdout.trim())).toBe('Done with: more');
  });

  it('says what is missing or wrong', async () => {
    const id = await ran('go');
    const nothing = await project.run('fork', id);
    expect([nothing.code, nothing.stdout]).toEqual([2, '']);
    expect(nothing.stderr).toContain('is an answer');
    const nowhere = await project.run('fork', id, '--at', '99');
    expect(nowhere.code).toBe(4);
    expect(nowhere.stderr).toContain('There is no message 99');
    expect((await project.run('fork', 'no-such-run')).code).toBe(4);
    expect((await project.run('fork', id, '--at', '0', '--count', '21')).code).toBe(2);
  });
});

describe('rewind', () => {
  it('says what is left behind and what is done already, and does it', async () => {
    const id = await ran('go');
    const { code, stdout, stderr } = await project.run(
      ...(['rewind', id, '--to', '1', '--input', 'enough', '--yes'] as const),
    );
    expect([code, stdout]).toEqual([0, `run ${id} goes on after iteration 1\n`]);
    expect(stderr).toContain(
      'Kept: 3 messages. Left behind: 2 iterations, 3 messages, 1 tool call.',
    );
    expect(stderr).toContain(
      'Done already, and not taken back:\n  pay {"cents":1} (effect: keyed)',
    );
    expect(await outputOf(id)).toBe('Done with: enough');
    const discarded = await project.run('show', id, '--discarded');
    expect(discarded.stdout).toMatch(/part 1 .* was completed/);
    expect(discarded.stdout).toContain('Done with: go');
    const json = await project.run('show', id, '--discarded', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({
      discarded: [{ generation: 1, how: 'rewound', toIteration: 1, ended: 'completed' }],
    });
    const past = await project.run('show', id, '--at', '0');
    expect(past.stdout).toContain('as it began');
    expect((await project.run('replay', id)).code).toBe(0);
    const watched = await project.run('watch', id, '--json');
    expect(watched.stdout.split('\n').filter((line) => line.includes('"rewound"'))).toHaveLength(1);
  });

  it('is not done where nobody can be asked', async () => {
    const id = await ran('go');
    const { code, stdout, stderr } = await project.run('rewind', id, '--to', '1');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('add --yes');
    expect(await outputOf(id)).toBe('Done with: go');
  });

  it('says what is missing or wrong', async () => {
    const id = await ran('go');
    for (const [args, code, text] of [
      [['--to', '7'], 4, 'has not come to the end of iteration 7'],
      [[], 2, 'name an iteration or a message'],
      [['--to', '1', '--at', '1'], 2, 'cannot be used with'],
      [['--at', '99'], 4, 'has no message 99'],
      [['--to', '3'], 2, 'end with an answer'],
    ] as const) {
      const ended = await project.run('rewind', id, ...args, '--yes');
      expect([ended.code, ended.stdout]).toEqual([code, '']);
      expect(ended.stderr).toContain(text);
    }
  });
});

describe('retry', () => {
  it('lets a failed run try again once what was wrong is put right', async () => {
    const id = await ran('fail');
    await expect(access(join(project.folder, 'fixed'))).rejects.toThrow();
    await project.write('fixed', '');
    const { code, stdout, stderr } = await project.run('retry', id, '--yes', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      id,
      done: true,
      how: 'retried',
      to: { iteration: 2 },
    });
    expect(stderr).toContain('Kept: 5 messages.');
    expect(await outputOf(id)).toBe('Done with: fail');
    const again = await project.run('retry', id, '--yes');
    expect([again.code, again.stdout]).toEqual([1, '']);
    expect(again.stderr).toContain('there is nothing to try again');
  });
});
