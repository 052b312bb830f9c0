/** Completing commands: what may stand where, and the scripts in the shells themselves. */
import { execFile } from 'node:child_process';
import { access, chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Argument, Command, Option } from 'commander';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { completionOf } from '../../src/cli/completion/candidates.ts';
import type { Project } from './cli.ts';
import { imports, makeProject, until } from './cli.ts';

const run = promisify(execFile);
const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

const config = `${imports}
  const agent = defineAgent({ model: scriptedModel([{ text: 'hi' }]), instructions: '' });
  export default defineConfig({ agents: { writer: agent, 'write-again': agent, helper: agent } });`;

function program(): Command {
  const root = new Command('p').version('1').option('--config <file>', 'configuration');
  root
    .command('run')
    .alias('r')
    .summary('runs')
    .argument('<agent>')
    .argument('[input]')
    .option('-f, --file <file>', 'input')
    .option('--json', 'as JSON')
    .addOption(new Option('--level <level>', 'how much').choices(['low', 'high']));
  root.command('cancel').argument('<run...>');
  root.command('shell').addArgument(new Argument('<shell>').choices(['bash', 'fish']));
  root.command('secret', { hidden: true });
  const schedule = root.command('schedule').summary('schedules');
  schedule.command('create').argument('<agent>').option('--every <span>', 'how often');
  schedule.command('ls');
  return root;
}

/** Values of the words that may stand there, or the kind of things. */
function completed(...words: string[]): string | string[] {
  const completion = completionOf(program(), words);
  if (completion.kind !== 'words') return completion.kind;
  return completion.candidates.map(({ value }) => value);
}

describe('what may stand there', () => {
  it.each<[string[], string | string[]]>([
    [[''], ['run', 'cancel', 'shell', 'schedule', 'help']],
    [[], ['run', 'cancel', 'shell', 'schedule', 'help']],
    [['s'], ['shell', 'schedule']],
    [['x'], []],
    [['-'], ['--version', '--config', '--help']],
    [['--config', ''], 'files'],
    [['--config', 'c.ts', 'r'], ['run']],
    [['run', ''], 'agents'],
    [['r', ''], 'agents'],
    [['run', 'a', ''], []],
    [['run', 'a', 'b', ''], []],
    [
      ['run', '--'],
      ['--file', '--json', '--level', '--help', '--config'],
    ],
    [['run', '--j'], ['--json']],
    [['run', '--json', ''], 'agents'],
    [['run', '--file', ''], 'files'],
    [['run', '-f', ''], 'files'],
    [['run', '--file', '=', 'n'], 'files'],
    [['run', '--file', '='], 'files'],
    [['run', '--file', 'n', ''], 'agents'],
    [['run', '--file=n', ''], 'agents'],
    [['run', '--config', ''], 'files'],
    [
      ['run', '--level', ''],
      ['low', 'high'],
    ],
    [['run', '--level', 'h'], ['high']],
    [['run', '--', '--j'], 'agents'],
    [['cancel', ''], 'runs'],
    [['cancel', 'a', 'b', ''], 'runs'],
    [['shell', 'b'], ['bash']],
    [
      ['schedule', ''],
      ['create', 'ls', 'help'],
    ],
    [['schedule', 'create', ''], 'agents'],
    [['schedule', 'create', '--every', ''], []],
    [['schedule', 'create', '--e'], ['--every']],
    [['unknown', ''], []],
    [['secret', ''], []],
  ])('after %j: %j', (words, expected) => {
    expect(completed(...words)).toEqual(expected);
  });

  it('is told with a few words about it', () => {
    expect(completionOf(program(), ['ru'])).toEqual({
      kind: 'words',
      candidates: [{ value: 'run', about: 'runs' }],
    });
  });
});

describe('complete', () => {
  let project: Project;
  const undo: (() => Promise<void>)[] = [];

  afterAll(async () => {
    for (const step of undo) await step();
  });

  beforeAll(async () => {
    project = await makeProject({ 'everloop.config.ts': config }, {}, (step) => undo.push(step));
    await mkdir(join(project.folder, 'some folder'));
    await project.write('some file', '');
    const bin = join(project.folder, 'everloop');
    await writeFile(bin, `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`);
    await chmod(bin, 0o755);
    project.env['PATH'] = `${project.folder}:${project.env['PATH']}`;
  });

  it('knows the agents of the configuration, and none where it is broken', async () => {
    const { code, stdout } = await project.run('complete', '--', 'run', 'wri');
    expect([code, stdout]).toEqual([0, 'writer\t\nwrite-again\t\n']);
    const broken = await project.run('complete', '--', '--config', 'absent.ts', 'run', '');
    expect([broken.code, broken.stderr]).toEqual([0, '']);
  });

  it('knows the runs of a server, and starts none to know them', async () => {
    const without = await project.run('complete', '--', 'show', '');
    expect([without.code, without.stdout, without.stderr]).toEqual([0, '', '']);
    await expect(access(join(project.folder, '.everloop'))).rejects.toThrow();

    const env = { TEMPORAL_ADDRESS: inject('temporalAddress') };
    const { run: ask } = await makeProject({ 'everloop.config.ts': config }, env);
    const id = `complete-${crypto.randomUUID()}`;
    expect((await ask('start', 'writer', 'hello there', '--id', id)).code).toBe(0);
    const listed = await until(async () => {
      const { stdout } = await ask('complete', '--', 'show', id.slice(0, 14));
      return stdout === '' ? undefined : stdout;
    });
    expect(listed).toBe(`${id}\trunning writer: hello there\n`);
  });

  it('is no command that help lists', async () => {
    const { stdout } = await project.run('--help');
    expect(stdout).toContain('completion <shell>');
    expect(stdout).not.toMatch(/^ {2}complete /m);
  });

  it('prints no script for a shell that it does not know', async () => {
    const { code, stdout, stderr } = await project.run('completion', 'tcsh');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('bash, zsh, fish');
  });

  /** What bash would put in the place of the last word. */
  async function inBash(...words: string[]): Promise<string[]> {
    const script = `
      set -u
      source <(everloop completion bash)
      source <(everloop completion bash)
      COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
      _everloop
      if [ "\${#COMPREPLY[@]}" -gt 0 ]; then printf '%s\\n' "\${COMPREPLY[@]}"; fi`;
    const { stdout } = await run('bash', ['-c', script, 'bash', 'everloop', ...words], {
      cwd: project.folder,
      env: project.env,
    });
    return stdout.split('\n').filter((line) => line !== '');
  }

  it('works in bash, sourced twice and without any library', async ({ skip }) => {
    skip(!(await isInstalled('bash')), 'bash is not installed');
    expect(await inBash('do')).toEqual(['doctor']);
    expect(await inBash('run', 'wr')).toEqual(['writer', 'write-again']);
    expect(await inBash('run', 'writer', '--m')).toEqual(['--max-iterations', '--meta']);
    expect(await inBash('init', 'so')).toEqual(['some folder']);
    expect((await inBash('send', 'r', '--file', 'so')).toSorted()).toEqual([
      'some file',
      'some folder',
    ]);
    expect(await inBash('nothing', 'x')).toEqual([]);
  });

  it('never runs what is being written', async ({ skip }) => {
    skip(!(await isInstalled('bash')), 'bash is not installed');
    await inBash('run', '$(touch evil)', '`touch evil`; touch evil', '');
    await expect(access(join(project.folder, 'evil'))).rejects.toThrow();
  });

  it('works in fish', async ({ skip }) => {
    skip(!(await isInstalled('fish')), 'fish is not installed');
    const script =
      'everloop completion fish | source; complete -C "everloop do"; complete -C "everloop run wr"';
    const at = { cwd: project.folder, env: project.env };
    const { stdout } = await run('fish', ['--no-config', '-c', script], at);
    // Versions of fish sort in different ways.
    const lines = stdout.trimEnd().split('\n').toSorted();
    expect(lines).toEqual([expect.stringMatching(/^doctor\tlook for /), 'write-again', 'writer']);
  });

  it('has a script that zsh can read', async ({ skip }) => {
    skip(!(await isInstalled('zsh')), 'zsh is not installed');
    const { stdout } = await project.run('completion', 'zsh');
    await project.write('_everloop', stdout);
    const checked = run('zsh', ['-f', '-n', '_everloop'], { cwd: project.folder });
    await expect(checked).resolves.toMatchObject({ stderr: '' });
  });
});

async function isInstalled(shell: string): Promise<boolean> {
  return await run(shell, ['-c', 'exit 0']).then(
    () => true,
    () => false,
  );
}
