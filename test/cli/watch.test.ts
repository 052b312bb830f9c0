/** Watching a run from outside: what is told, in which form, and that nothing is lost or told twice when processes die. */
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { Everloop } from '../../src/client/everloop.ts';
import type { DevServer } from '../../src/engine/dev-server.ts';
import { liveEngineState, writeEngineState } from '../../src/engine/engine-state.ts';
import { makeProjectDirectory, projectDirectory } from '../../src/engine/project-directory.ts';
import type { RunEvent } from '../../src/loop/events.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { startOpenAiChatServer } from '../../src/testing/openai-chat/openai-chat-server.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { sendSignal } from '../../src/workflows/messages.ts';
import { connect, startServer } from '../engine/started-server.ts';
import { startHarness } from '../support/harness.ts';
import type { Project, Started } from './cli.ts';
import { imports, makeProject, until } from './cli.ts';

function eventsOf(stdout: string): RunEvent[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

describe('the events of a run that has ended', () => {
  const id = `watched-${crypto.randomUUID()}`;
  const limitedId = `limited-${crypto.randomUUID()}`;
  const cancelledId = `cancelled-${crypto.randomUUID()}`;
  let events: readonly RunEvent[];
  let project: Project;
  const undo: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    const env = { TEMPORAL_ADDRESS: inject('temporalAddress') };
    project = await makeProject({}, env, (step) => undo.push(step));
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      input: z.object({ order: z.int() }),
      effect: 'none',
      async execute({ order }) {
        const run = harness.client.workflow.getHandle(id);
        await run.signal('send', { message: '' });
        await run.signal(sendSignal, { id: 'late', message: 'Hurry.' });
        throw new Error(`No order ${order}.`);
      },
    });
    const broken = scriptedModel(
      [{ error: { kind: 'authentication', message: 'The key is\nnot valid.' } }],
      { name: 'broken' },
    );
    const clerk = scriptedModel(
      [
        { text: 'I look.', calls: [{ name: 'look', input: { order: 7 } }] },
        { text: '\u001b[2JGone.' },
      ],
      { name: 'clerk' },
    );
    const silent = scriptedModel(
      () => ({ text: 'I begin and never come to an end.', stallAfter: 1 }),
      { name: 'silent' },
    );
    const harness = await startHarness({
      agents: {
        clerk: defineAgent({ model: [broken, clerk], instructions: '', tools: [look] }),
        silent: defineAgent({ model: silent, instructions: '' }),
      },
    });
    const run = await harness.everloop.start('clerk', { id, input: 'Refund order 7.' });
    events = await Array.fromAsync(run.events());
    const limited = { id: limitedId, input: 'Go.', maxIterations: 1 };
    await (await harness.everloop.start('clerk', limited)).result();
    const cancelled = await harness.everloop.start('silent', { id: cancelledId, input: 'Go.' });
    for await (const event of cancelled.events()) {
      if (event.type === 'model-start') await cancelled.cancel();
    }
    await harness.stop();
  });
  afterAll(async () => {
    for (const step of undo) await step();
  });

  it('are shown to people in one piece, on standard output', async () => {
    const { code, stdout, stderr } = await project.run('watch', id);
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout.replaceAll(/\d+ s\)/g, '0 s)').replace(/[\d,]+ tokens/, '9 tokens');
    expect(lines).toBe(
      [
        'agent clerk: Refund order 7.',
        'user: Refund order 7.',
        '✗ broken: The key is not valid. Set a valid API key for this provider on the Worker, then retry the run.',
        '(now clerk is asked)',
        'I look.',
        '→ look {"order":7}',
        '✗ a message was refused: it was none that a run can take',
        '✗ look (0 s)',
        '  look failed: No order 7.',
        'user: Hurry.',
        '\ufffd[2JGone.',
        'completed: The model finished its answer. (2 iterations, 9 tokens)',
        '',
      ].join('\n'),
    );
  });

  it('are written one per line with --json, and nothing beside them', async () => {
    const { code, stdout, stderr } = await project.run('watch', id, '--json');
    expect([code, stderr]).toEqual([0, '']);
    expect(eventsOf(stdout)).toEqual(events);
  });

  it('end with exit code 1 for another stop reason than completed', async () => {
    for (const [runId, reason] of [
      [limitedId, 'max_iterations: '],
      [cancelledId, 'cancelled: '],
    ] as const) {
      const { code, stdout } = await project.run('watch', runId);
      expect(code).toBe(1);
      expect(stdout).toContain(`\n${reason}`);
      const last = eventsOf((await project.run('watch', runId, '--json')).stdout).at(-1)?.id ?? '';
      expect((await project.run('watch', runId, '--json', '--after', last)).code).toBe(1);
    }
  });
});

it('says that a run waits when no Worker asks for its work', async () => {
  const project = await makeProject({}, { TEMPORAL_ADDRESS: inject('temporalAddress') });
  const taskQueue = `unworked-${crypto.randomUUID()}`;
  const { stdout } = await project.run('start', 'assistant', 'hi', '--task-queue', taskQueue);
  const watch = project.start('watch', stdout.trim());
  await watch.said(`No Worker has asked for work on task queue ${taskQueue}`);
  watch.child.kill('SIGINT');
  expect((await watch.ended).code).toBe(130);
});

it('needs an engine that is running', async () => {
  const project = await makeProject();
  const { code, stderr } = await project.run('watch', 'any');
  expect(code).toBe(3);
  expect(stderr).toContain('everloop dev');
});

describe('when processes die', { timeout: 180_000 }, () => {
  /** Answers of the model, each of which waits until it is let go. */
  async function makeStage() {
    const gates = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
    const provider = await startOpenAiChatServer({
      script: ({ messages }) => {
        const n = messages.filter(({ role }) => role === 'assistant').length;
        const waitFor = () => gates[n]?.promise ?? Promise.resolve();
        return n < 3
          ? { text: `Step ${n}.`, calls: [{ name: 'add', input: { a: n, b: 1 } }], waitFor }
          : { text: 'Done.', waitFor };
      },
    });
    onTestFinished(() => provider.close());
    const config = `${imports}
      export default defineConfig({ taskQueue: 'watch-${crypto.randomUUID()}', agents: {
        real: defineAgent({ model: 'openai-chat:gpt-5.5', instructions: '', tools: [defineTool({
          name: 'add', description: 'Adds.', effect: 'none',
          input: z.object({ a: z.number(), b: z.number() }), execute: ({ a, b }) => String(a + b),
        })] }),
      } });`;
    const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: provider.url };
    const project = await makeProject({ 'everloop.config.ts': config }, env);
    /** Resolves when the model has been asked for its answer `n`, and nobody has given up on it. */
    const asked = (n: number) =>
      until(async () => {
        const open = provider.calls().filter(({ status }) => status === 'open');
        return open.length > 0 && answersIn(open.at(-1)?.body) === n ? true : undefined;
      });
    return { project, gates, asked };
  }

  function answersIn(body = '{"messages":[]}'): number {
    const { messages }: { messages: { role: string }[] } = JSON.parse(body);
    return messages.filter(({ role }) => role === 'assistant').length;
  }

  async function allEvents(address: string, id: string): Promise<readonly RunEvent[]> {
    const { client } = await connect(address);
    return await Array.fromAsync(Everloop.from(client).run(id).events());
  }

  /** The project's engine, in the hands of the test. */
  async function startEngine(project: Project, port?: number): Promise<DevServer> {
    const directory = projectDirectory(project.folder);
    await makeProjectDirectory(directory);
    const { databaseFile } = directory;
    const server = await startServer({ databaseFile, ...(port !== undefined && { port }) });
    const { address, pid } = server;
    const startedAt = new Date().toISOString();
    await writeEngineState(directory, { version: 1, address, pid, workerPids: [], startedAt });
    return server;
  }

  async function startWorker(project: Project): Promise<Started> {
    const worker = project.start('worker');
    await worker.said('Worker for');
    return worker;
  }

  async function startRun(project: Project): Promise<string> {
    return (await project.run('start', 'real', 'Go.')).stdout.trim();
  }

  it('no event is missed or told twice over a killed Worker and a killed server', async () => {
    const { project, gates, asked } = await makeStage();
    const server = await startEngine(project);
    const worker = await startWorker(project);
    const id = await startRun(project);
    const watch = project.start('watch', id, '--json');
    await watch.said('"type":"model-start"');

    gates[0]?.resolve();
    await asked(1);
    worker.child.kill('SIGKILL');
    await startWorker(project);
    gates[1]?.resolve();

    await asked(2);
    server.kill();
    await server.exited;
    await watch.said('The server does not answer');
    await startEngine(project, Number(server.address.split(':').at(-1)));
    gates[2]?.resolve();
    gates[3]?.resolve();

    const { code, stdout, stderr } = await watch.ended;
    expect(code).toBe(0);
    expect(stderr).toContain('The server is back.');
    const told = eventsOf(stdout);
    expect(told.map((event) => event.id)).toEqual([...new Set(told.map((event) => event.id))]);
    expect(told).toEqual(await allEvents(server.address, id));
    expect(told.map(({ type }) => type)).toContain('attempt-lost');
  });

  it('the watch goes on when dev is killed with all it runs and another one takes its place, and so does a second watch from where the first was stopped', async () => {
    const { project, gates, asked } = await makeStage();
    const dev = project.start('dev');
    await dev.said('Ctrl-C stops');
    const id = await startRun(project);
    const first = project.start('watch', id, '--json');
    const whole = project.start('watch', id, '--json');
    await whole.said('"type":"model-start"');
    gates[0]?.resolve();
    await asked(1);
    await first.said('"type":"tool-end"');
    first.child.kill('SIGINT');
    const stopped = await first.ended;
    expect(stopped.code).toBe(130);
    const [, after = ''] = /--after (\S+)\n$/.exec(stopped.stderr) ?? [];

    dev.child.kill('SIGKILL');
    await whole.said('The server does not answer');
    const second = project.start('dev');
    await second.said('Ctrl-C stops');
    const rest = project.start('watch', id, '--json', '--after', after);
    for (const gate of gates) gate.resolve();

    const [end, restEnd] = await Promise.all([whole.ended, rest.ended]);
    expect([end.code, restEnd.code]).toEqual([0, 0]);
    const state = await liveEngineState(projectDirectory(project.folder));
    const all = await allEvents(state?.address ?? '', id);
    expect(eventsOf(end.stdout)).toEqual(all);
    expect([...eventsOf(stopped.stdout), ...eventsOf(restEnd.stdout)]).toEqual(all);
    second.child.kill('SIGTERM');
    await second.ended;
  });
});
