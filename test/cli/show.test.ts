/** What `show` says of a run that is not like most. */
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { startHarness } from '../support/harness.ts';
import type { Project } from './cli.ts';
import { makeProject } from './cli.ts';

const id = `unlike-${crypto.randomUUID()}`;
let project: Project;
const undo: (() => Promise<void>)[] = [];

beforeAll(async () => {
  const env = { TEMPORAL_ADDRESS: inject('temporalAddress') };
  project = await makeProject({}, env, (step) => undo.push(step));
  const broken = (name: string) =>
    scriptedModel([{ error: { kind: 'authentication', message: `${name} has no key.` } }], {
      name,
    });
  const silent = scriptedModel(() => ({ text: 'Well, ', stallAfter: 1 }), { name: 'silent' });
  const agent = defineAgent({
    model: [broken('first'), broken('second'), silent],
    instructions: '',
  });
  const harness = await startHarness({ agents: { agent } });
  const run = await harness.everloop.start('agent', { id, input: 'Go.' });
  for await (const event of run.events()) {
    if (event.type === 'model-start' && event.data.model === 'silent') break;
  }
  const png = { kind: 'bytes', bytes: 'iVBORw0KGgo=' } as const;
  const media = { mime: 'image/png', name: 'chart.png', source: png };
  await run.send({ role: 'user', parts: [{ kind: 'media', media }] });
  for (let n = 1; n < 7; n += 1) await run.send(`Message ${n}\n\u001b[2J of seven.`);
  const handle = harness.client.workflow.getHandle(id);
  for (const payload of [undefined, { message: '' }]) await handle.signal('send', payload);
  // A Signal is taken in with the next Workflow task, and an Update brings one.
  await run.send('The last.');
  await harness.stop();
});
afterAll(async () => {
  for (const step of undo) await step();
});

it('names the model in use after others failed, and the last error', async () => {
  const { stdout } = await project.run('show', id);
  expect(stdout).toContain('\nmodel in use: silent, after first, second failed\n');
  expect(stdout).toMatch(/\nlast error: second has no key\. .*\(.*authentication\)\n/);
});

it('says what waits to be read, and how many messages were refused', async () => {
  const { stdout } = await project.run('show', id);
  expect(stdout).toContain(
    [
      'refused: 2 messages that a run cannot take',
      'waiting to be read: 8 messages',
      '  [image/png chart.png, 8 B]',
      '  Message 1 \ufffd[2J of seven.',
      '  Message 2 \ufffd[2J of seven.',
      '  Message 3 \ufffd[2J of seven.',
      '  Message 4 \ufffd[2J of seven.',
      '  and 3 more messages',
    ].join('\n'),
  );
});

it('says nothing of that for a run that has nothing of it', async () => {
  const { stdout } = await project.run('show', id, '--at', '0');
  expect(stdout).not.toMatch(/model in use|last error|refused|waiting to be read|part \d/);
});
