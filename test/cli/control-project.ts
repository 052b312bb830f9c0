/** A project whose agents pay, ask, speak and have others work for them, and a Worker of its own for it. */
import { inject } from 'vitest';
import { Everloop } from '../../src/client/everloop.ts';
import type { RunHandle } from '../../src/client/run-handle.ts';
import type { RunSnapshot } from '../../src/client/run-snapshot.ts';
import { connectClient } from '../../src/engine/connect.ts';
import type { RunStatus } from '../../src/loop/run-status.ts';
import type { Project } from './cli.ts';
import { imports, makeProject, until } from './cli.ts';

const sources = new URL('../../src/', import.meta.url).href;

const agents = `
  const pay = defineTool({
    name: 'pay', description: 'Pays.', input: z.object({ cents: z.number() }), approve: 'always',
    execute: ({ cents }) => 'paid ' + cents,
  });
  const echo = defineTool({
    name: 'echo', description: 'Echoes.', effect: 'none', input: z.object({}), execute: () => 'echo',
  });
  const call = (cents) => ({ name: 'pay', input: { cents } });
  const agent = (name, script, tools = [pay]) => defineAgent({
    model: scriptedModel(script, { name, chunkSize: 5 }), instructions: '', tools,
  });
  const isTask = (request) => JSON.stringify(request.messages).includes('You work on one task');
  const isFirst = (request) => request.messages.at(-1).role === 'user';
`;

const config = `${imports}
  import { askUser } from '${sources}abilities/ask-user/ask-user.ts';
  import { task } from '${sources}abilities/task/task.ts';
  ${agents}
  export default defineConfig({ taskQueue: 'TASK-QUEUE', agents: {
    payer: agent('payer', [{ calls: [call(50)] }, { text: 'Paid.' }]),
    spender: agent('spender', [
      { calls: [call(1), call(2), call(3)] }, { calls: [call(4)] }, { text: 'All spent.' },
    ]),
    asker: agent('asker', ({ messages }) => messages.at(-1).role === 'user'
      ? { calls: [{ name: 'ask_user', input: { question: 'Which colour?', choices: ['red', 'green'] } }] }
      : { text: 'Thank you: ' + JSON.stringify(messages.at(-1).parts[0].toolResult.output.content[0].text) },
      [askUser()]),
    speaker: agent('speaker', [{ text: 'A very long speech.', stallAfter: 2 }, { text: 'Another way.' }], []),
    patient: defineAgent({
      model: scriptedModel(({ messages }) => messages.length < 8
        ? { calls: [{ name: 'echo' }], usage: { inputTokens: 1_000, outputTokens: 100 } }
        : { text: 'Done.' }, { name: 'patient' }),
      instructions: '', tools: [echo], options: { maxOutputTokens: 200 },
      budget: { tokens: 2_000 }, onLimit: { waitFor: '1 hour' },
    }),
    boss: agent('boss', (request) => isTask(request)
      ? isFirst(request) ? { calls: [call(9)] } : { text: 'The task is done.' }
      : isFirst(request) ? { calls: [{ name: 'task', input: { task: 'Pay.' } }] } : { text: 'All done.' },
      [pay, task()]),
  } });`;

/** The project, and a client of its runs. */
export interface ControlProject extends Project {
  readonly everloop: Everloop;
  /** Starts a run and waits until it stands as said. */
  startedRun(agent: string, status: RunStatus): Promise<RunHandle>;
  /** A run for which nobody works. */
  withoutWorker(): Promise<RunHandle>;
}

/** Makes the project, and starts its Worker. */
export async function makeControlProject(
  after: (undo: () => Promise<void>) => unknown,
): Promise<ControlProject> {
  const address = inject('temporalAddress');
  const taskQueue = `control-${crypto.randomUUID()}`;
  const files = { 'everloop.config.ts': config.replace('TASK-QUEUE', taskQueue) };
  const project = await makeProject(files, { TEMPORAL_ADDRESS: address }, after);
  await project.start('worker').said('Worker for');
  const { client, connection } = await connectClient({ address, namespace: 'default' });
  after(() => connection.close());
  const everloop = Everloop.from(client, { taskQueue });
  return {
    ...project,
    everloop,
    async withoutWorker() {
      const nobody = Everloop.from(client, { taskQueue: `nobody-${crypto.randomUUID()}` });
      return await nobody.start('payer', { input: 'Go.' });
    },
    async startedRun(agent, status) {
      const run = await everloop.start(agent, { input: 'Go.' });
      await reached(run, status);
      return run;
    },
  };
}

/** Resolves once the run stands as said. */
export async function reached(run: RunHandle, status: RunStatus): Promise<RunSnapshot> {
  return await until(async () => {
    const snapshot = await run.snapshot();
    return snapshot.status === status ? snapshot : undefined;
  });
}

/** Ids of the calls that have no result yet. */
export async function callsOf(run: RunHandle): Promise<readonly string[]> {
  const { state } = await run.snapshot();
  return (state?.pendingToolCalls ?? []).map(({ call }) => call.id);
}
