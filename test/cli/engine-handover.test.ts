/** One engine in a project, and who runs it when several commands come and go. */
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { OpenAiChatServer } from '../../src/testing/openai-chat/openai-chat-server.ts';
import { startOpenAiChatServer } from '../../src/testing/openai-chat/openai-chat-server.ts';
import type { Project } from './cli.ts';
import { imports, makeProject, serverPid, until, untilAsked } from './cli.ts';

const agent = `real: defineAgent({ model: 'openai-chat:gpt-5.5', instructions: '' }),`;
const config = `${imports} export default defineConfig({ agents: { ${agent} } });`;

type Script = Parameters<typeof startOpenAiChatServer>[0]['script'];

async function makeStage(
  script: Script,
): Promise<{ readonly project: Project; readonly provider: OpenAiChatServer }> {
  const provider = await startOpenAiChatServer({ script });
  onTestFinished(() => provider.close());
  const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: provider.url };
  return { provider, project: await makeProject({ 'everloop.config.ts': config }, env) };
}

describe('one engine for a project', { timeout: 120_000 }, () => {
  it('is taken over by a run that follows when the run that had it ends, and the follower completes', async () => {
    const mayEnd = Promise.withResolvers<void>();
    const turns = [
      { text: 'First.', waitFor: () => mayEnd.promise },
      { text: 'Never said.', waitFor: () => new Promise<void>(() => {}) },
      { text: 'Second.' },
    ];
    const { project, provider } = await makeStage(() => turns.shift() ?? { text: 'Too much.' });
    const first = project.start('run', 'real', 'one');
    await untilAsked(provider);
    const second = project.start('run', 'real', 'two');
    await until(async () => (provider.calls().length > 1 ? true : undefined));
    mayEnd.resolve();
    expect(await first.ended).toMatchObject({ code: 0, stdout: 'First.\n' });
    const { code, stdout, stderr } = await second.ended;
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'Second.\n', stderr });
    expect(stderr).toContain('engine and Worker go on in this one');
  });

  it('is taken over by a run that follows when dev is killed', async () => {
    const answers = Promise.withResolvers<void>();
    const { project, provider } = await makeStage(() => ({
      text: 'Here I am.',
      waitFor: () => answers.promise,
    }));
    const dev = project.start('dev');
    await dev.said('Ctrl-C stops');
    const run = project.start('run', 'real', 'hello');
    await untilAsked(provider);
    dev.child.kill('SIGKILL');
    await run.said('engine and Worker go on in this one');
    answers.resolve();
    const { code, stdout } = await run.ended;
    expect([code, stdout]).toEqual([0, 'Here I am.\n']);
  });

  it('is left to dev when only its server dies: dev brings it back, and a run that follows goes on', async () => {
    const answers = Promise.withResolvers<void>();
    const { project, provider } = await makeStage(() => ({
      text: 'Here I am.',
      waitFor: () => answers.promise,
    }));
    const dev = project.start('dev');
    await dev.said('Ctrl-C stops');
    const run = project.start('run', 'real', 'hello');
    await untilAsked(provider);
    process.kill(await serverPid(project), 'SIGKILL');
    await dev.said('The Temporal server is back');
    answers.resolve();
    const { code, stdout, stderr } = await run.ended;
    expect([code, stdout]).toEqual([0, 'Here I am.\n']);
    expect(stderr).not.toContain('go on in this one');
  });

  it('is waited for by dev while another command has it', async () => {
    const answers = Promise.withResolvers<void>();
    const { project, provider } = await makeStage([
      { text: 'Done.', waitFor: () => answers.promise },
    ]);
    const run = project.start('run', 'real', 'hello');
    await untilAsked(provider);
    const dev = project.start('dev');
    await dev.said(`Waiting for everloop run (process ${run.child.pid})`);
    answers.resolve();
    expect((await run.ended).code).toBe(0);
    await dev.said('Ctrl-C stops');
    dev.child.kill('SIGINT');
    const [code] = await once(dev.child, 'exit');
    expect(code).toBe(0);
  });
});
