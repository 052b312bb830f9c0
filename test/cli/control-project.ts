/** A project whose agents pay, ask, speak and have others work for them, and a Worker of its own for it. */
import { inject } from 'vitest';
import type { Project } from './cli.ts';
import { imports, makeProject, until } from './cli.ts';

const sources = new URL('../../src/', import.meta.url).href;

const agents = `
  const pay = defineTool({
    name: 'pay', description: 'Pays.', input: z.object({ cents: z.number() }), approve: 'always',
    execute: ({ cents }) => 'paid ' + cents,
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
    boss: agent('boss', (request) => isTask(request)
      ? isFirst(request) ? { calls: [call(9)] } : { text: 'The task is done.' }
      : isFirst(request) ? { calls: [{ name: 'task', input: { task: 'Pay.' } }] } : { text: 'All done.' },
      [pay, task()]),
  } });`;

/** Makes the project, and starts its Worker. */
export async function makeControlProject(
  after: (undo: () => Promise<void>) => unknown,
): Promise<Project> {
  const env = { TEMPORAL_ADDRESS: inject('temporalAddress') };
  const files = { 'everloop.config.ts': config.replace('TASK-QUEUE', `q-${crypto.randomUUID()}`) };
  const project = await makeProject(files, env, after);
  await project.start('worker').said('Worker for');
  return project;
}

/** Starts a run and waits until it stands as said. */
export async function startedRun(project: Project, agent: string, status: string): Promise<string> {
  const id = (await project.run('start', agent, 'Go.')).stdout.trim();
  await reached(project, id, status);
  return id;
}

/** What `show --json` tells of a run, as far as tests look at it. */
export interface Shown {
  readonly status: string;
  readonly open: readonly { readonly status: string }[];
  readonly state: {
    readonly output: string;
    readonly pendingToolCalls: readonly { readonly call: { readonly id: string } }[];
    readonly children?: readonly { readonly runId: string }[];
    readonly start: { readonly parent?: { readonly runId: string } };
  };
  readonly children: readonly { readonly id: string; readonly status: string }[];
}

export async function shown(project: Project, id: string): Promise<Shown> {
  const { stdout, stderr } = await project.run('show', id, '--json');
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

/** Resolves once the run stands as said. */
export async function reached(project: Project, id: string, status: string): Promise<Shown> {
  return await until(async () => {
    const run = await shown(project, id);
    return run.status === status ? run : undefined;
  });
}
