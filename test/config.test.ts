/** What a configuration becomes, and how all of its problems are told at once. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, expectTypeOf, it, onTestFinished } from 'vitest';
import { defineAgent } from '../src/agents/define-agent.ts';
import type { LoadConfigOptions } from '../src/config.ts';
import { defineConfig, loadConfig, missingKeys } from '../src/config.ts';
import { ConfigurationError } from '../src/everloop-error.ts';

async function project(content?: string, name = 'everloop.config.ts'): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'everloop-config-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  if (content !== undefined) await writeFile(join(directory, name), content);
  return directory;
}

async function problemsOf(options: LoadConfigOptions): Promise<Record<string, string>> {
  const error = await loadConfig(options).catch((thrown: unknown) => thrown);
  if (!(error instanceof ConfigurationError)) throw new Error(`no ConfigurationError: ${error}`);
  return Object.fromEntries(error.problems.map(({ where, what }) => [where, what]));
}

const valid = `export default { agents: { support: { model: 'openai-chat:gpt-5.5', instructions: 'Help.' } } };`;

describe('a project without a configuration file', () => {
  it('has the built-in agents, with the model that EVERLOOP_MODEL names', async () => {
    const directory = await project();
    const plain = await loadConfig({ directory, env: {} });
    expect([...plain.agents.keys()]).toEqual(['assistant', 'demo']);
    expect(plain.agents.get('assistant')?.model).toBe('openai-chat:gpt-5.5');
    expect(
      plain.agents
        .get('assistant')
        ?.tools?.map(({ name }) => name)
        .sort(),
    ).toEqual(['list_files', 'read_file', 'search', 'write_file']);
    const env = { EVERLOOP_MODEL: 'openai-chat:other' };
    const other = await loadConfig({ directory, env });
    expect(other.agents.get('assistant')?.model).toBe('openai-chat:other');
  });

  it('uses its own engine in the folder .everloop, the default namespace and task queue', async () => {
    const directory = await project();
    const config = await loadConfig({ directory, env: {} });
    expect(config.engine).toBeUndefined();
    expect(config.file).toBeUndefined();
    expect(config.project.path).toBe(join(directory, '.everloop'));
    expect([config.namespace, config.taskQueue]).toEqual(['default', 'everloop']);
  });
});

describe('a configuration file', () => {
  it('is found under each of its names', async () => {
    for (const name of ['everloop.config.ts', 'everloop.config.js', 'everloop.config.mjs']) {
      const directory = await project(valid, name);
      const config = await loadConfig({ directory, env: {} });
      expect(config.file).toBe(join(directory, name));
      expect([...config.agents.keys()]).toEqual(['support']);
    }
  });

  it('may say task queue and namespace, and TEMPORAL_NAMESPACE wins', async () => {
    const directory = await project(
      `export default { agents: {}, taskQueue: 'mine', namespace: 'team' };`,
    );
    const config = await loadConfig({ directory, env: {} });
    expect([config.namespace, config.taskQueue]).toEqual(['team', 'mine']);
    const other = await loadConfig({ directory, env: { TEMPORAL_NAMESPACE: 'ops' } });
    expect(other.namespace).toBe('ops');
  });

  it('is told of all its problems at once, each with its path', async () => {
    const directory = await project(`
      const tool = (name: string) => ({ name, run() {}, inputSchema: {} });
      const model = () => ({ name: 'same', stream() {} });
      export default { taskqueue: 'x', agents: {
        a: { model: 'nobody:gpt', instructions: 1, maxIterations: 0 },
        b: { model: 'openai-chat:m', instructions: '', tools: [tool('t'), tool('t'), {}], colour: 1 },
        c: { model: model(), instructions: '', toolChoice: { mode: 'named', name: 'absent' } },
        d: { model: model(), instructions: '', options: { temperature: 9 } },
      } };
    `);
    const problems = await problemsOf({ directory, env: { OPENAI_BASE_URL: 'not a url' } });
    expect(Object.keys(problems).sort()).toEqual([
      'OPENAI_BASE_URL',
      'everloop.config.ts',
      'everloop.config.ts: agents.a.instructions',
      'everloop.config.ts: agents.a.maxIterations',
      'everloop.config.ts: agents.a.model',
      'everloop.config.ts: agents.b',
      'everloop.config.ts: agents.b.tools.1',
      'everloop.config.ts: agents.b.tools.2',
      'everloop.config.ts: agents.c.toolChoice.name',
      'everloop.config.ts: agents.d.model',
      'everloop.config.ts: agents.d.options.temperature',
    ]);
    expect(problems['everloop.config.ts: agents.a.model']).toContain('openai-chat');
    expect(problems['everloop.config.ts: agents.b']).toContain('colour');
    expect(problems['everloop.config.ts']).toContain('taskqueue');
  });

  it('that throws is told of with its reason', async () => {
    const directory = await project(`throw new Error('no database');`);
    const problems = await problemsOf({ directory, env: {} });
    expect(Object.values(problems)).toEqual(['it threw: no database']);
    expect(Object.keys(problems)[0]).toMatch(/^everloop\.config\.ts/);
  });

  it('without a default export is told of', async () => {
    const directory = await project('export const agents = {};');
    expect((await problemsOf({ directory, env: {} }))['everloop.config.ts']).toContain('default');
  });

  it('that was asked for and is not there is an error, not a reason to use the built-in agents', async () => {
    const directory = await project();
    const problems = await problemsOf({ directory, env: {}, file: 'other.ts' });
    expect(problems['other.ts']).toContain('no such file');
  });
});

describe('the environment', () => {
  it('names a server with TEMPORAL_ADDRESS; an API key asks for TLS unless TEMPORAL_TLS says no', async () => {
    const directory = await project();
    const engine = async (env: Record<string, string>) =>
      (await loadConfig({ directory, env })).engine;
    const address = 'temporal.test:7233';
    expect(await engine({ TEMPORAL_ADDRESS: address })).toEqual({ address });
    expect(await engine({ TEMPORAL_ADDRESS: address, TEMPORAL_API_KEY: 'k' })).toEqual({
      address,
      apiKey: 'k',
      tls: true,
    });
    expect(
      await engine({ TEMPORAL_ADDRESS: address, TEMPORAL_API_KEY: 'k', TEMPORAL_TLS: 'false' }),
    ).toEqual({ address, apiKey: 'k', tls: false });
    expect(await engine({ TEMPORAL_ADDRESS: ' ' })).toBeUndefined();
  });

  it('is told of all its problems at once', async () => {
    const directory = await project(valid);
    const problems = await problemsOf({
      directory,
      env: {
        OPENAI_BASE_URL: 'ftp://files.test',
        EVERLOOP_MODEL: 'gpt',
        TEMPORAL_ADDRESS: 'http://temporal.test',
        TEMPORAL_TLS: 'perhaps',
      },
    });
    expect(Object.keys(problems).sort()).toEqual([
      'EVERLOOP_MODEL',
      'OPENAI_BASE_URL',
      'TEMPORAL_ADDRESS',
      'TEMPORAL_TLS',
    ]);
  });

  it('says so when it names a profile, which is not read', async () => {
    const directory = await project(valid);
    const problems = await problemsOf({ directory, env: { TEMPORAL_PROFILE: 'cloud' } });
    expect(problems['TEMPORAL_PROFILE']).toContain('TEMPORAL_ADDRESS');
  });
});

describe('a missing key', () => {
  it('is no problem of the configuration, and is told of each agent that needs it when asked', async () => {
    const directory = await project(`export default { agents: {
      real: { model: 'openai-chat:gpt-5.5', instructions: '' },
      own: { model: { name: 'own', stream() {} }, instructions: '' },
    } };`);
    const config = await loadConfig({ directory, env: {} });
    const problems = missingKeys(config);
    expect(problems.map(({ where }) => where)).toEqual(['agents.real.model']);
    expect(problems[0]?.what).toContain('OPENAI_API_KEY');
    const keyed = await loadConfig({ directory, env: { OPENAI_API_KEY: 'k' } });
    expect(missingKeys(keyed)).toEqual([]);
  });
});

describe('defineConfig', () => {
  it('keeps the names of the agents for the type checker', () => {
    const agent = defineAgent({ model: 'openai-chat:gpt-5.5', instructions: '' });
    const config = defineConfig({ agents: { support: agent } });
    expectTypeOf<keyof typeof config.agents>().toEqualTypeOf<'support'>();
    expect(config.agents.support).toBe(agent);
  });
});
