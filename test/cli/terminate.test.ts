/** Ending a run without asking it. */
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { confirm } from '../../src/cli/confirm.ts';
import { Interrupted } from '../../src/cli/interrupted.ts';
import type { Terminal } from '../../src/cli/terminal.ts';
import type { Project } from './cli.ts';
import { imports, makeProject, until } from './cli.ts';

const config = `${imports}
  export default defineConfig({ taskQueue: 'terminate-${crypto.randomUUID()}', agents: {
    endless: defineAgent({
      model: scriptedModel(() => ({ calls: [{ name: 'wait' }] }), { name: 'endless' }),
      instructions: '',
      tools: [defineTool({
        name: 'wait', description: 'Waits.', effect: 'none', input: z.object({}),
        execute: (_, { signal }) => new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        }),
      })],
    }),
  } });`;

describe('terminate', () => {
  let project: Project;
  const undo: (() => Promise<void>)[] = [];

  afterAll(async () => {
    for (const step of undo) await step();
  });

  beforeAll(async () => {
    const env = { TEMPORAL_ADDRESS: inject('temporalAddress') };
    project = await makeProject({ 'everloop.config.ts': config }, env, (step) => undo.push(step));
    await project.start('worker').said('Worker for');
  });

  async function startedRun(): Promise<string> {
    const { stdout } = await project.run('start', 'endless', 'go');
    const id = stdout.trim();
    await until(async () => {
      const shown = await project.run('show', id, '--json');
      const { open }: { open: { name: string }[] } = JSON.parse(shown.stdout);
      return open.some(({ name }) => name === 'everloopRunTool') ? true : undefined;
    });
    return id;
  }

  it('--yes ends the run, says what is lost, and the run can still be looked at', async () => {
    const id = await startedRun();
    const { code, stdout, stderr } = await project.run(
      'terminate',
      id,
      '--yes',
      '--reason',
      'stuck',
    );
    expect([code, stdout]).toEqual([0, `run ${id} is terminated\n`]);
    expect(stderr).toContain('no onEnd hook runs, there is no grace and no result');
    expect(stderr).toMatch(/In flight now, with an outcome that nobody will know: 1\/\S+\./);
    const shown = await project.run('show', id);
    expect(shown.stdout).toContain('terminated');

    const again = await project.run('terminate', id, '--yes');
    expect([again.code, again.stdout]).toEqual([1, '']);
    expect(again.stderr).toContain('there is nothing to terminate');
  });

  it('is refused where nobody can be asked, and the run goes on', async () => {
    const id = await startedRun();
    const { code, stdout, stderr } = await project.run('terminate', id);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('add --yes');
    const ended = await project.run('terminate', id, '--yes', '--json');
    expect(JSON.parse(ended.stdout)).toEqual({ id, terminated: true });
  });

  it('of a run that does not exist ends with exit code 4', async () => {
    const { code, stderr } = await project.run('terminate', 'no-such-run', '--yes');
    expect(code).toBe(4);
    expect(stderr).toContain('there is no run no-such-run');
  });
});

describe('a question to a person', () => {
  function terminal(): { terminal: Terminal; stdin: PassThrough; stop: AbortController } {
    const stdin = new PassThrough();
    const stop = new AbortController();
    return {
      stdin,
      stop,
      terminal: {
        env: {},
        directory: '.',
        stdin: Object.assign(stdin, { isTTY: true }),
        stdout: new PassThrough(),
        stderr: new PassThrough(),
        interrupted: stop.signal,
      },
    };
  }

  it.each([
    ['y', true],
    ['YES', true],
    ['n', false],
    ['', false],
    ['yep', false],
  ])('is answered %j: %s', async (answer, expected) => {
    const { terminal: asked, stdin } = terminal();
    const answered = confirm(asked, 'Sure?', false);
    stdin.write(`${answer}\n`);
    expect(await answered).toBe(expected);
    asked.stderr.end();
    if (asked.stderr instanceof PassThrough) {
      expect(await text(asked.stderr)).toContain('Sure? [y/N] ');
    }
  });

  it('is not asked when the answer was given', async () => {
    const { terminal: asked } = terminal();
    expect(await confirm(asked, 'Sure?', true)).toBe(true);
  });

  it('ends with an interruption when it is interrupted, or the input ends', async () => {
    const first = terminal();
    const answered = confirm(first.terminal, 'Sure?', false);
    first.stop.abort();
    await expect(answered).rejects.toThrow(Interrupted);

    const second = terminal();
    const unanswered = confirm(second.terminal, 'Sure?', false);
    await once(second.stdin.end(), 'end');
    await expect(unanswered).rejects.toThrow(Interrupted);
  });
});
