/** The commands as people use them, on engines and Workers of their own. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { startOpenAiChatServer } from '../../src/testing/openai-chat/openai-chat-server.ts';
import type { Project } from './cli.ts';
import { imports, makeProject, serverPid, until, untilAsked } from './cli.ts';

const taskQueue = `commands-${crypto.randomUUID()}`;
const agents = `
  adder: defineAgent({
    model: scriptedModel([
      { text: 'I add.', calls: [{ name: 'add', input: { a: 1, b: 2 } }] },
      { text: 'It is 3.' },
    ], { name: 'adder' }),
    instructions: 'You add.',
    tools: [defineTool({
      name: 'add', description: 'Adds.', effect: 'none',
      input: z.object({ a: z.number(), b: z.number() }), execute: ({ a, b }) => String(a + b),
    })],
  }),
  endless: defineAgent({
    model: scriptedModel(() => ({ calls: [{ name: 'wait' }] }), { name: 'endless' }),
    instructions: '',
    tools: [defineTool({
      name: 'wait', description: 'Waits.', effect: 'none', input: z.object({}),
      execute: (_, { signal }) => new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      }),
    })],
  }),`;
const config = `${imports}
  export default defineConfig({ taskQueue: '${taskQueue}', agents: { ${agents} } });`;

describe('against a server with a Worker', () => {
  let project: Project;
  const undo: (() => Promise<void>)[] = [];

  afterAll(async () => {
    for (const step of undo) await step();
  });

  beforeAll(async () => {
    const env = { TEMPORAL_ADDRESS: inject('temporalAddress') };
    project = await makeProject({ 'everloop.config.ts': config }, env, (step) => undo.push(step));
    const worker = project.start('worker');
    await worker.said('Worker for');
  });

  it('run shows messages as they are recorded, says so once, and ends with the stop reason', async () => {
    const { code, stdout, stderr } = await project.run('run', 'adder', 'one and two');
    expect(code).toBe(0);
    expect(stdout).toBe('I add.\nIt is 3.\n');
    expect(stderr.match(/each message is shown when it is complete/g)).toHaveLength(1);
    expect(stderr).toContain('→ add {"a":1,"b":2}');
    expect(stderr).toContain('✓ add');
    expect(stderr).toMatch(
      /completed: The model finished its answer\. \(2 iterations, \d+ tokens\)\n$/,
    );
  });

  it('run --json writes one event per line and the result last', async () => {
    const { code, stdout } = await project.run('run', 'adder', 'one and two', '--json');
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    const events: { type: string; output?: string }[] = lines.map((line) => JSON.parse(line));
    expect(events[0]?.type).toBe('run-start');
    expect(events.at(-2)?.type).toBe('run-end');
    expect(events.at(-1)).toMatchObject({ type: 'result', output: 'It is 3.' });
  });

  it('run ends with exit code 1 for another stop reason than completed', async () => {
    const limit = ['--max-iterations', '1'];
    const { code, stderr } = await project.run('run', 'adder', 'one and two', ...limit);
    expect(code).toBe(1);
    expect(stderr).toContain('max_iterations:');
  });

  it('run detaches on Ctrl-C with exit code 130, and the run goes on until it is cancelled', async () => {
    const runId = crypto.randomUUID();
    const run = project.start('run', 'endless', 'go', '--id', runId);
    await run.said('→ wait');
    run.child.kill('SIGINT');
    const { code, stderr } = await run.ended;
    expect(code).toBe(130);
    expect(stderr).toContain(`Detached: run ${runId} goes on.`);
    expect(stderr).toContain(`everloop cancel ${runId}`);

    const sent = await project.run('send', runId, 'and more', '--json');
    expect(JSON.parse(sent.stdout)).toMatchObject({ id: runId });
    const shown = await project.run('show', runId);
    expect(shown.stdout).toContain('Tool call');
    expect(shown.stdout).toContain('waiting to be read: 1 message');

    const cancelled = await project.run('cancel', runId);
    expect([cancelled.code, cancelled.stdout]).toEqual([0, `run ${runId} is being cancelled\n`]);
  });

  it('start takes the input from a pipe or a file, prints the id alone, and ls and show find the run', async () => {
    const id = crypto.randomUUID();
    const piped = await project.pipe(
      'one and two\n',
      'start',
      'adder',
      '--id',
      id,
      '--meta',
      'a=b=c',
    );
    expect(piped.stdout).toBe(`${id}\n`);
    await project.write('question.txt', 'two and one');
    const fromFile = await project.run('start', 'adder', '--file', 'question.txt', '--json');
    expect(JSON.parse(fromFile.stdout)).toMatchObject({ agent: 'adder', taskQueue });

    const query = `TaskQueue = '${taskQueue}'`;
    const listed = await project.run('ls', '--agent', 'adder', '--query', query, '--json');
    const runs: { id: string; title: string }[] = listed.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(runs.find((run) => run.id === id)?.title).toBe('one and two');
    const plain = await project.run('ls', '--query', query, '--limit', '1');
    expect(plain.stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(plain.stdout.split('\t')).toHaveLength(10);

    const shown = await project.run('show', id, '--json');
    const { state } = JSON.parse(shown.stdout) as { state: { metadata: unknown } };
    expect(state.metadata).toEqual({ a: 'b=c' });
  });

  it('show --at shows the run as it was after an iteration', async () => {
    const id = crypto.randomUUID();
    await project.run('run', 'adder', 'one and two', '--id', id);
    const first = await project.run('show', id, '--at', '1');
    expect(first.stdout).toContain('→ add {"a":1,"b":2}');
    expect(first.stdout).toContain('← add: 3');
    expect(first.stdout).not.toContain('It is 3.');
    const missing = await project.run('show', id, '--at', '9');
    expect([missing.code, missing.stdout]).toEqual([4, '']);

    const start = await project.run('show', id, '--at', '0');
    expect(start.stdout).toContain('as it began:');
    expect(start.stdout).toContain('iteration 0 of');
    expect(start.stdout).not.toMatch(/completed|started|→ add/);
  });

  it('show --at --json holds the state of then, and nothing that is of now', async () => {
    const id = crypto.randomUUID();
    await project.run('run', 'adder', 'one and two', '--id', id);
    const shown: Record<string, unknown> = JSON.parse(
      (await project.run('show', id, '--at', '1', '--json')).stdout,
    );
    expect(Object.keys(shown).sort()).toEqual(['at', 'id', 'state', 'taskQueue', 'temporalRunId']);
    expect(shown).toMatchObject({ id, at: 1, state: { iteration: 1 } });
  });

  it('a run that has ended is not cancelled, and show is named to see how it ended', async () => {
    const id = crypto.randomUUID();
    await project.run('run', 'adder', 'one and two', '--id', id);
    const { code, stderr } = await project.run('cancel', id);
    expect(code).toBe(1);
    expect(stderr).toContain(`see how it ended: everloop show ${id}`);
  });

  it('a query that the server does not understand is told in words, with exit code 2', async () => {
    const { code, stderr } = await project.run('ls', '--query', 'nonsense');
    expect(code).toBe(2);
    expect(stderr).toContain('invalid query');
  });

  it('a reader that goes away is no error', async () => {
    const ls = project.start('ls', '--json');
    ls.child.stdout?.destroy();
    const { stderr } = await ls.ended;
    expect(stderr).not.toMatch(/EPIPE|unexpected/);
  });
});

describe('with an engine of its own', () => {
  it('dev serves other commands, stops in order on Ctrl-C, and a second start goes on where all stood', {
    timeout: 120_000,
  }, async () => {
    const project = await makeProject({ 'everloop.config.ts': config });
    const first = project.start('dev');
    await first.said('Worker ');
    await first.said('Ctrl-C stops');
    const id = (await project.run('start', 'endless', 'go')).stdout.trim();
    const again = await project.run('dev');
    const holder = `everloop dev, process ${first.child.pid}`;
    expect([again.code, again.stderr]).toEqual([3, expect.stringContaining(holder)]);
    await until(async () => {
      const { stdout } = await project.run('show', id, '--json');
      const { open }: { open: { name: string; status: string }[] } = JSON.parse(stdout);
      const isInTool = open.some((it) => it.name === 'everloopRunTool' && it.status === 'started');
      return isInTool ? true : undefined;
    });
    first.child.kill('SIGINT');
    expect((await first.ended).code).toBe(0);
    await expect(access(join(project.folder, '.everloop', 'state.json'))).rejects.toThrow();

    // Without a Worker and without an engine: show starts one for itself alone.
    const shown = await project.run('show', id);
    expect(shown.stdout).toContain('  running  ');
    expect(shown.stdout).toMatch(/^(waiting|lost): wait \(\S+\)$/m);
    expect(shown.stdout).toMatch(/its Worker shut down \(attempt 2 as soon as a Worker is there\)/);
    expect(shown.stdout).not.toMatch(/^running:|WORKER_SHUTDOWN|shutting down/m);

    const second = project.start('dev');
    await second.said('Ctrl-C stops');
    expect((await project.run('cancel', id)).code).toBe(0);
    const server = await serverPid(project);
    second.child.kill('SIGTERM');
    expect((await second.ended).code).toBe(0);
    expect(() => process.kill(server, 0)).toThrow();
  });

  it('run streams what the model says while it says it, and leaves nothing behind', {
    timeout: 120_000,
  }, async () => {
    const provider = await startOpenAiChatServer({
      script: [{ text: 'one two three four five six seven eight nine ten' }],
      misbehave: ({ index }) => (index === 0 ? { kind: 'cut', afterChunks: 4 } : undefined),
      chunkDelayMs: 1,
    });
    onTestFinished(() => provider.close());
    const agent = `real: defineAgent({ model: 'openai-chat:gpt-5.5', instructions: '' }),`;
    const project = await makeProject(
      { 'everloop.config.ts': `${imports} export default defineConfig({ agents: { ${agent} } });` },
      { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: provider.url },
    );
    const run = project.start('run', 'real', 'count');
    await untilAsked(provider);
    const server = await serverPid(project);
    const { code, stdout, stderr } = await run.ended;
    expect(code).toBe(0);
    // The first attempt was cut: what it said stays on the screen, and the answer starts again.
    expect(stdout).toBe('one two three \none two three four five six seven eight nine ten\n');
    expect(stderr).toContain('(attempt 2: the answer starts again)');
    expect(() => process.kill(server, 0)).toThrow();
    await expect(access(join(project.folder, '.everloop', 'state.json'))).rejects.toThrow();
  });
});

describe('wrong usage', () => {
  it.each([
    [['frobnicate'], 'unknown command'],
    [['run'], 'missing required argument'],
    [['ls', '--limit', 'many'], 'whole number'],
    [['start', 'adder', 'hi', '--meta', 'novalue'], 'key=value'],
    [['ls', '--colour'], 'unknown option'],
    [['--config', 'absent.ts', 'ls'], 'absent.ts: there is no such file'],
  ])('%j is told on stderr with exit code 2', async (args, text) => {
    const project = await makeProject();
    const { code, stdout, stderr } = await project.run(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(text);
  });

  it('help and version are no errors', async () => {
    const project = await makeProject();
    const help = await project.run('run', '--help');
    expect([help.code, help.stderr]).toEqual([0, '']);
    expect(help.stdout).toContain('--max-iterations');
    expect((await project.run('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('a folder without runs has nothing to list, and no engine is started for that', async () => {
    const project = await makeProject();
    const { code, stdout } = await project.run('ls');
    expect([code, stdout]).toEqual([0, '']);
    await expect(access(join(project.folder, '.everloop'))).rejects.toThrow();
  });
});
