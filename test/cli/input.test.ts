/** What a person gives to a run: texts and images, by arguments, files and pipes. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { RunExport } from '../../src/cli/export-format.ts';
import { readHistory, readRawHistory } from '../../src/client/read-history.ts';
import { connect } from '../engine/started-server.ts';
import type { Project } from './cli.ts';
import { imports, makeProject } from './cli.ts';

const config = `${imports}
  export default defineConfig({ taskQueue: 'input-${crypto.randomUUID()}', agents: {
    hello: defineAgent({ model: scriptedModel(() => ({ text: 'Hi.' }), { name: 'hello' }), instructions: '' }),
    patient: defineAgent({
      model: scriptedModel(
        ({ messages }) => messages.filter(({ role }) => role === 'user').length > 1
          ? { text: 'I see.' }
          : { calls: [{ name: 'wait' }] },
        { name: 'patient' },
      ),
      instructions: '', maxIterations: 1_000,
      tools: [defineTool({
        name: 'wait', description: 'Waits.', effect: 'none', input: z.object({}),
        execute: () => new Promise((resolve) => setTimeout(resolve, 50, 'Still nothing.')),
      })],
    }),
  } });`;

/** The first bytes of files, and the type that they tell. */
const images = [
  ['a.png', '\u0089PNG\r\n\u001a\n rest', 'image/png'],
  ['b', '\u00ff\u00d8\u00ff\u00e0 rest', 'image/jpeg'],
  ['c.png', 'GIF89a rest', 'image/gif'],
  ['d.webp', 'RIFF\u0004\u0000\u0000\u0000WEBPVP8 ', 'image/webp'],
  ['e.pdf', '%PDF-1.7 rest', 'application/pdf'],
] as const;

let project: Project;
const undo: (() => Promise<void>)[] = [];

beforeAll(async () => {
  const env = { TEMPORAL_ADDRESS: inject('temporalAddress') };
  project = await makeProject({ 'everloop.config.ts': config }, env, (step) => undo.push(step));
  for (const [name, content] of images) {
    await project.write(name, Buffer.from(content, 'latin1'));
  }
  await project.start('worker').said('Worker for');
});
afterAll(async () => {
  for (const step of undo) await step();
});

async function messagesOf(id: string): Promise<RunExport['messages']> {
  const exported: RunExport = JSON.parse((await project.run('export', id)).stdout);
  return exported.messages;
}

function mediaOf([name, content, mime]: (typeof images)[number]) {
  const bytes = Buffer.from(content, 'latin1').toString('base64');
  return { kind: 'media', media: { mime, name, source: { kind: 'bytes', bytes } } };
}

describe('images', () => {
  it('go with the text of a run, in order, each with the type that its content tells', async () => {
    const id = crypto.randomUUID();
    const files = images.flatMap(([name]) => ['--image', name]);
    const { code } = await project.run('run', 'hello', 'What is this?', '--id', id, ...files);
    expect(code).toBe(0);
    const [first] = await messagesOf(id);
    expect(first?.parts).toEqual([
      { kind: 'text', text: 'What is this?' },
      ...images.map((image) => mediaOf(image)),
    ]);
    const shown = await project.run('show', id);
    expect(shown.stdout).toContain('  [image/png a.png, 13 B]\n');
    const watched = await project.run('watch', id);
    expect(watched.stdout).toContain('user: What is this? [image/png a.png, 13 B] [image/jpeg b, ');
  });

  it('may be all there is', async () => {
    const id = crypto.randomUUID();
    await project.run('start', 'hello', '--id', id, '--image', 'a.png');
    await project.run('watch', id);
    const [first] = await messagesOf(id);
    expect(first?.parts).toEqual([mediaOf(images[0])]);
  });

  it('go with a message, too', async () => {
    const id = crypto.randomUUID();
    await project.run('start', 'patient', 'Wait.', '--id', id);
    const sent = await project.pipe('And this?\n', 'send', id, '--id', 'm1', '--image', 'b');
    expect([sent.code, sent.stdout]).toEqual([0, `message 1 of run ${id}\n`]);
    await project.run('watch', id);
    const second = (await messagesOf(id)).filter(({ role }) => role === 'user').at(1);
    expect(second?.parts).toEqual([{ kind: 'text', text: 'And this?' }, mediaOf(images[1])]);
    expect(second?.id).toMatch(/\/m1$/);
  });

  it.each([
    [['--image', 'absent.png'], 'the image absent.png cannot be read'],
    [['--image', 'everloop.config.ts'], 'everloop.config.ts is no image that models take'],
  ])('%j is refused with exit code 2, and no run is started', async (args, text) => {
    const { code, stdout, stderr } = await project.run('start', 'hello', 'hi', ...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(text);
  });
});

describe('a message from a pipe', () => {
  it('is taken once, however often it is sent under its id', async () => {
    const id = crypto.randomUUID();
    await project.run('start', 'patient', 'Wait.', '--id', id);
    const sent = [
      await project.pipe('One more.\n', 'send', id, '--id', 'm1', '--json'),
      await project.pipe('One more.\n', 'send', id, '--id', 'm1', '--json'),
    ];
    await project.run('watch', id);
    const users = (await messagesOf(id)).filter(({ role }) => role === 'user');
    expect(users.map(({ parts }) => parts)).toEqual([
      [{ kind: 'text', text: 'Wait.' }],
      [{ kind: 'text', text: 'One more.' }],
    ]);
    expect(JSON.parse(sent[0]?.stdout ?? '')).toEqual({ id, position: 1 });
    // Sent after the run has ended, it is told so.
    expect([0, 1]).toContain(sent[1]?.code);
  });

  it('must not be empty', async () => {
    const { code, stderr } = await project.pipe(' \n', 'send', 'any');
    expect(code).toBe(2);
    expect(stderr).toContain('there is no input');
  });
});

describe('a delay', () => {
  it('keeps a run from beginning before its time', async () => {
    const { code, stdout } = await project.run('start', 'hello', 'hi', '--delay', '2 hours');
    expect(code).toBe(0);
    const runId = stdout.trim();
    const { client } = await connect(inject('temporalAddress'));
    const [started, ...rest] = await Array.fromAsync(readRawHistory(client, { runId }));
    const backoff = started?.workflowExecutionStartedEventAttributes?.firstWorkflowTaskBackoff;
    expect(Number(backoff?.seconds)).toBe(7_200);
    expect(rest).toEqual([]);
    expect((await project.run('show', runId)).stdout).toContain('  running  ');
    const cancelled = await project.run('cancel', runId);
    expect(cancelled.code).toBe(0);
    await Array.fromAsync(readHistory(client, { runId }, { follow: true }));
    expect((await project.run('watch', runId)).code).toBe(1);
  });

  it.each(['soon', '0', '-1 s', '10 bananas'])('%j is none', async (delay) => {
    const { code, stdout, stderr } = await project.run('start', 'hello', 'hi', `--delay=${delay}`);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('is no duration');
  });
});
