/** What the program does with what is wrong: one table of error, exit code, words, and whether the run lives on. */
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { startOpenAiChatServer } from '../../src/testing/openai-chat/openai-chat-server.ts';
import type { Ended, Project, Started } from './cli.ts';
import { imports, makeProject, serverPid, until, untilAsked } from './cli.ts';

/** What is expected of a row, and what is done to get there. */
interface Row {
  readonly name: string;
  /** Exit code of the command. */
  readonly code: number;
  /** Said by the command, on stdout or stderr. */
  readonly says: readonly string[];
  /** Status that `show` tells of the run afterwards; none where there is no run. */
  readonly status?: string;
  play(): Promise<Played>;
}

interface Played {
  readonly ended: Ended;
  readonly project: Project;
  readonly runId?: string;
}

const hello = `hello: defineAgent({ model: scriptedModel([{ text: 'Hi.' }]), instructions: '' }),`;

/** A configuration on a task queue that nobody else uses. */
function configOf(agents: string): string {
  const taskQueue = `bad-input-${crypto.randomUUID()}`;
  return `${imports}
    export default defineConfig({ taskQueue: '${taskQueue}', agents: { ${agents} } });`;
}

/** A project whose commands use the test server, where no Worker is. */
async function onServer(config: string, env: Record<string, string> = {}): Promise<Project> {
  const files = { 'everloop.config.ts': config };
  return await makeProject(files, { TEMPORAL_ADDRESS: inject('temporalAddress'), ...env });
}

async function startRun(project: Project, ...args: string[]): Promise<string> {
  const { stdout, stderr, code } = await project.run('start', ...args);
  if (code !== 0) throw new Error(stderr);
  return stdout.trim();
}

/** Starts a Worker process of the project and waits until it is ready. */
async function startWorker(project: Project): Promise<Started> {
  const worker = project.start('worker');
  await worker.said('Worker for');
  return worker;
}

/** An agent whose model calls `tool` once, then says so. */
function calling(agent: string, tool: string, input = '{}'): string {
  const turns = `[{ calls: [{ name: 'tool', arguments: ${JSON.stringify(input)} }] }, { text: 'Done.' }]`;
  return `${agent}: defineAgent({
    model: scriptedModel(${turns}, { name: '${agent}' }), instructions: '',
    tools: [defineTool({ name: 'tool', description: 'd', effect: 'none', ${tool} })],
  }),`;
}

/** One Worker for all rows that need a sound one. */
let served: Project;
const servedQueue = `bad-input-${crypto.randomUUID()}`;
const servedConfig = `${imports}
  export default defineConfig({ taskQueue: '${servedQueue}', agents: {
    ${hello}
    unknownModel: defineAgent({ model: 'openai-chat:gpt-9', instructions: '' }),
    ${calling('big', `input: z.object({}), execute: () => 'a'.repeat(5_000_000) + 'END'`)}
    ${calling('odd', `input: z.object({}), execute: () => 'left\\ud800right'`)}
    ${calling(
      'echo',
      `input: z.object({ text: z.string() }), execute: ({ text }) => 'well-formed: ' + text.isWellFormed()`,
      '{"text":"left\\ud800right"}',
    )}
  } });`;

const undo: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const step of undo.toReversed()) await step();
});

beforeAll(async () => {
  const provider = await startOpenAiChatServer({ script: [], models: ['gpt-5.5'] });
  undo.push(() => provider.close());
  served = await makeProject(
    { 'everloop.config.ts': servedConfig },
    {
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      OPENAI_API_KEY: 'k',
      OPENAI_BASE_URL: provider.url,
    },
    (step) => undo.push(step),
  );
  await startWorker(served);
});

/** A run of an agent that the shared Worker has. */
async function runServed(agent: string, input: string | Uint8Array = 'hi'): Promise<Played> {
  const runId = crypto.randomUUID();
  const ended = await served.pipe(input, 'run', agent, '--id', runId);
  return { ended, project: served, runId };
}

async function transcriptOf({ project, runId = '' }: Played): Promise<string> {
  return (await project.run('show', runId, '--full')).stdout;
}

const rows: readonly Row[] = [
  {
    name: 'an agent that is not in the configuration',
    code: 2,
    says: ['there is no agent "ghost"', 'use one of: hello'],
    async play() {
      const project = await onServer(configOf(hello));
      return { project, ended: await project.run('start', 'ghost', 'hi') };
    },
  },
  {
    name: 'a run that does not exist',
    code: 4,
    says: ['there is no run nowhere', 'everloop ls'],
    async play() {
      const project = await onServer(configOf(hello));
      return { project, ended: await project.run('show', 'nowhere') };
    },
  },
  {
    name: 'a message for a run that does not exist',
    code: 4,
    says: ['there is no run nowhere'],
    async play() {
      const project = await onServer(configOf(hello));
      return { project, ended: await project.run('send', 'nowhere', 'hi') };
    },
  },
  {
    name: 'an id that was used before',
    code: 2,
    says: ['exists already', 'choose another id'],
    status: 'running',
    async play() {
      const project = await onServer(configOf(hello));
      const runId = await startRun(project, 'hello', 'hi', '--id', crypto.randomUUID());
      const ended = await project.run('start', 'hello', 'hi', '--id', runId);
      return { project, runId, ended };
    },
  },
  {
    name: 'no input at all',
    code: 2,
    says: ['there is no input', '--file'],
    async play() {
      const project = await onServer(configOf(hello));
      return { project, ended: await project.run('start', 'hello') };
    },
  },
  {
    name: 'several things wrong with the configuration, all told at once',
    code: 2,
    says: [
      'everloop.config.ts: agents.a.maxIterations',
      'everloop.config.ts: agents.b.model',
      'OPENAI_BASE_URL',
    ],
    async play() {
      const agents = `a: { model: 'openai-chat:m', instructions: '', maxIterations: -1 }, b: { model: 'm', instructions: '' },`;
      const project = await onServer(`export default { agents: { ${agents} } };`, {
        OPENAI_BASE_URL: 'here',
      });
      return { project, ended: await project.run('ls') };
    },
  },
  {
    name: 'a configuration that does not parse',
    code: 2,
    says: ['everloop.config.ts', 'does not parse'],
    async play() {
      const project = await onServer('export default {');
      // As a process: here another loader would read the file.
      return { project, ended: await project.start('ls').ended };
    },
  },
  {
    name: 'a key that is missing where the Worker starts',
    code: 2,
    says: ['agents.real.model', 'OPENAI_API_KEY is not set'],
    async play() {
      const project = await makeProject({
        'everloop.config.ts': configOf(
          `real: defineAgent({ model: 'openai-chat:gpt-5.5', instructions: '' }),`,
        ),
      });
      return { project, ended: await project.run('run', 'real', 'hi') };
    },
  },
  {
    name: 'a model that the provider does not know',
    code: 1,
    says: ['error:', 'does not exist', "Check the model's name in the agent."],
    status: 'error',
    play: () => runServed('unknownModel'),
  },
  {
    name: 'a server that is not there',
    code: 3,
    says: ['cannot reach a Temporal server at 127.0.0.1:1', 'TEMPORAL_ADDRESS'],
    async play() {
      const project = await makeProject({}, { TEMPORAL_ADDRESS: '127.0.0.1:1' });
      return { project, ended: await project.run('ls') };
    },
  },
  {
    name: 'a Worker whose server is not there',
    code: 3,
    says: ['cannot reach a Temporal server at 127.0.0.1:1'],
    async play() {
      const config = { 'everloop.config.ts': configOf(hello) };
      const project = await makeProject(config, { TEMPORAL_ADDRESS: '127.0.0.1:1' });
      return { project, ended: await project.run('worker') };
    },
  },
  {
    name: 'a start without an engine',
    code: 3,
    says: ['no engine is running for this project', 'everloop dev'],
    async play() {
      const project = await makeProject({ 'everloop.config.ts': configOf(hello) });
      return { project, ended: await project.run('start', 'hello', 'hi') };
    },
  },
  {
    name: 'no Worker: the run waits, and show says for what',
    code: 0,
    says: ['No Worker has asked for work', 'everloop dev'],
    status: 'running',
    async play() {
      const project = await onServer(configOf(hello));
      const runId = await startRun(project, 'hello', 'hi');
      return { project, runId, ended: await project.run('show', runId) };
    },
  },
  {
    name: 'Ctrl-C while no Worker is there: nobody is said to go on with the run',
    code: 130,
    says: ['goes on as soon as a Worker is there: everloop worker'],
    status: 'running',
    async play() {
      const project = await onServer(configOf(hello));
      const runId = crypto.randomUUID();
      const run = project.start('run', 'hello', 'hi', '--id', runId);
      await run.said('No Worker has asked for work');
      run.child.kill('SIGINT');
      return { project, runId, ended: await run.ended };
    },
  },
  {
    name: 'a message for a run without a Worker',
    code: 3,
    says: ['no Worker works for run', 'then send again'],
    status: 'running',
    async play() {
      const project = await onServer(configOf(hello));
      const runId = await startRun(project, 'hello', 'hi');
      return { project, runId, ended: await project.run('send', runId, 'more') };
    },
  },
  {
    name: "a Worker without the run's agent: the run waits for one that has it",
    code: 0,
    says: ['no agent named other', 'hello'],
    status: 'running',
    async play() {
      const runId = await startRun(served, 'other', 'hi', '--task-queue', servedQueue);
      const ended = await until(async () => {
        const shown = await served.run('show', runId);
        return shown.stdout.includes('no agent named') ? shown : undefined;
      });
      return { project: served, runId, ended };
    },
  },
  {
    name: 'a tool that the Worker has no more: the model is told, the run goes on',
    code: 0,
    says: ['completed'],
    status: 'completed',
    async play() {
      const answers = Promise.withResolvers<void>();
      const provider = await startOpenAiChatServer({
        script: [
          { calls: [{ name: 'gone', input: {} }], waitFor: () => answers.promise },
          { text: 'Then without it.' },
        ],
      });
      onTestFinished(() => provider.close());
      const tool = `[defineTool({ name: 'gone', description: 'd', input: z.object({}), effect: 'none', execute: () => 'x' })]`;
      const config = configOf(
        `hello: defineAgent({ model: 'openai-chat:gpt-5.5', instructions: '', tools: TOOLS }),`,
      );
      const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: provider.url };
      const project = await onServer(config.replace('TOOLS', tool), env);
      const first = await startWorker(project);
      const runId = crypto.randomUUID();
      const run = project.start('run', 'hello', 'hi', '--id', runId);
      await untilAsked(provider);
      first.child.kill('SIGKILL');
      await first.ended;
      await project.write('everloop.config.ts', config.replace('TOOLS', '[]'));
      await startWorker(project);
      answers.resolve();
      const ended = await run.ended;
      const { stdout } = await project.run('show', runId);
      expect(stdout).toContain('tool gone is not available any more');
      return { project, runId, ended };
    },
  },
  {
    name: 'a tool result of 5 MB: the model sees head and tail, with a note between',
    code: 0,
    says: ['completed'],
    status: 'completed',
    async play() {
      const played = await runServed('big');
      expect(await transcriptOf(played)).toMatch(
        /a\n *\[… \d+ of 5000003 bytes left out[^\]]*\]\n *a+END/,
      );
      return played;
    },
  },
  {
    name: 'broken UTF-16 in a tool result: replaced, and the run goes on',
    code: 0,
    says: ['completed'],
    status: 'completed',
    async play() {
      const played = await runServed('odd');
      expect(await transcriptOf(played)).toContain('left\ufffdright');
      return played;
    },
  },
  {
    name: 'broken UTF-16 in the arguments of a call: the model is told, or the tool gets whole text',
    code: 0,
    says: ['completed'],
    status: 'completed',
    async play() {
      const played = await runServed('echo');
      expect(await transcriptOf(played)).toMatch(/invalid arguments for tool|well-formed: true/);
      return played;
    },
  },
  {
    name: 'bytes in the input that are no UTF-8: replaced, and the run is started',
    code: 0,
    says: ['completed'],
    status: 'completed',
    async play() {
      const played = await runServed('hello', new Uint8Array([0x68, 0x69, 0xff, 0x21]));
      expect(await transcriptOf(played)).toContain('hi\ufffd!');
      return played;
    },
  },
  {
    name: 'a server that dies during a run: it is started again, and the run goes on',
    code: 0,
    says: [
      'The Temporal server has ended unexpectedly',
      'The Temporal server is back',
      'completed',
    ],
    status: 'completed',
    async play() {
      const answers = Promise.withResolvers<void>();
      const provider = await startOpenAiChatServer({
        script: [{ text: 'Still here.', waitFor: () => answers.promise }],
      });
      onTestFinished(() => provider.close());
      const project = await makeProject(
        {
          'everloop.config.ts': configOf(
            `hello: defineAgent({ model: 'openai-chat:gpt-5.5', instructions: '' }),`,
          ),
        },
        { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: provider.url },
      );
      const runId = crypto.randomUUID();
      const run = project.start('run', 'hello', 'hi', '--id', runId);
      await untilAsked(provider);
      process.kill(await serverPid(project), 'SIGKILL');
      await run.said('The Temporal server is back');
      answers.resolve();
      return { project, runId, ended: await run.ended };
    },
  },
];

describe('what is wrong is told in words, with its exit code, and no run is lost', () => {
  it.each(rows)('$name', { timeout: 120_000 }, async ({ code, says, status, play }) => {
    const { ended, project, runId } = await play();
    const said = ended.stdout + ended.stderr;
    expect({ code: ended.code, said }).toEqual({ code, said });
    for (const text of says) expect(said).toContain(text);
    expect(said).not.toMatch(/^\s+at .+:\d+:\d+/m);
    if (status === undefined) return;
    const { stdout } = await project.run('show', runId ?? '', '--json');
    const shown: { status: string } = JSON.parse(stdout);
    expect(shown.status).toBe(status);
  });
});
