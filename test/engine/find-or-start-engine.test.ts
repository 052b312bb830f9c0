import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startDevServer } from '../../src/engine/dev-server.ts';
import { readEngineState, writeEngineState } from '../../src/engine/engine-state.ts';
import { findOrStartEngine, withEngineLock } from '../../src/engine/find-or-start-engine.ts';
import { findTemporalCli } from '../../src/engine/find-temporal-cli.ts';
import { projectDirectory } from '../../src/engine/project-directory.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { deadEngine, temporaryProject } from './temporary-project.ts';

describe('the engine lock', () => {
  it('lets one work at a time', async () => {
    const directory = await temporaryProject();
    const order: string[] = [];
    const inside = Promise.withResolvers<void>();
    const mayLeave = Promise.withResolvers<void>();
    const first = withEngineLock(directory, async () => {
      inside.resolve();
      await mayLeave.promise;
      order.push('first');
    });
    await inside.promise;
    const second = withEngineLock(directory, async () => void order.push('second'));
    mayLeave.resolve();
    await Promise.all([first, second]);
    expect(order).toEqual(['first', 'second']);
  });

  it('is let go when the work fails', async () => {
    const directory = await temporaryProject();
    const failing = withEngineLock(directory, () => Promise.reject(new Error('broken')));
    await expect(failing).rejects.toThrow('broken');
    expect(await withEngineLock(directory, async () => 'free')).toBe('free');
  });

  it('is taken over from a process that was killed while it held it', async () => {
    const directory = await temporaryProject();
    const lockFile = join(directory.path, 'engine.lock');
    await mkdir(lockFile);
    await utimes(lockFile, new Date(0), new Date(0));
    expect(await withEngineLock(directory, async () => 'mine')).toBe('mine');
  });
});

describe('findOrStartEngine', () => {
  it('gives two that ask at once one engine, and a third the same', async () => {
    const directory = projectDirectory(await temporaryFolder());
    const cli = await findTemporalCli({ env: process.env });
    let starts = 0;
    const find = () =>
      findOrStartEngine(directory, async () => {
        starts += 1;
        const server = await startDevServer({ cli, databaseFile: directory.databaseFile });
        onTestFinished(() => server.stop());
        return server;
      });
    const both = await Promise.all([find(), find()]);
    expect(both.map(({ status }) => status).sort()).toEqual(['found', 'started']);
    expect(both[0].state).toEqual(both[1].state);
    expect(await find()).toEqual({ status: 'found', state: both[0].state });
    expect(starts).toBe(1);
  });

  it('gives two processes that ask at once one engine', async () => {
    const project = await temporaryFolder();
    const cli = (await findTemporalCli({ env: process.env })).path;
    const program = `
      const [lookUp, folders, starting, cli, project] = process.argv.slice(1);
      const { findOrStartEngine } = await import(lookUp);
      const { startDevServer } = await import(starting);
      const directory = (await import(folders)).projectDirectory(project);
      const found = await findOrStartEngine(directory, () =>
        startDevServer({ cli: { path: cli }, databaseFile: directory.databaseFile }));
      console.log(found.status, found.state.pid);
      process.stdin.resume().once('end', () => process.exit(0));
    `;
    const modules = ['find-or-start-engine', 'project-directory', 'dev-server'].map(
      (name) => new URL(`../../src/engine/${name}.ts`, import.meta.url).href,
    );
    const ask = async () => {
      const args = ['--input-type=module', '--eval', program, ...modules, cli, project];
      const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
      onTestFinished(() => void child.kill('SIGKILL'));
      const [line] = await once(createInterface(child.stdout), 'line');
      return String(line).split(' ');
    };
    const [first, second] = await Promise.all([ask(), ask()]);
    expect([first[0], second[0]].sort()).toEqual(['found', 'started']);
    expect(first[1]).toBe(second[1]);
  });

  it('starts a new engine in place of one that died', async () => {
    const directory = await temporaryProject();
    await writeEngineState(directory, deadEngine);
    const cli = await findTemporalCli({ env: process.env });
    const found = await findOrStartEngine(directory, async () => {
      const server = await startDevServer({ cli, databaseFile: directory.databaseFile });
      onTestFinished(() => server.stop());
      return server;
    });
    expect(found.status).toBe('started');
    expect(await readEngineState(directory)).toEqual(found.state);
  });

  it('leaves no lock behind when a start fails', async () => {
    const directory = await temporaryProject();
    const failing = findOrStartEngine(directory, () => Promise.reject(new Error('no room')));
    await expect(failing).rejects.toThrow('no room');
    expect(await withEngineLock(directory, async () => 'free')).toBe('free');
  });
});
