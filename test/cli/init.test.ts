/** The starter project: written, type-checked and tested as its owner would. */
import { execFile } from 'node:child_process';
import { access, chmod, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { toPackageName } from '../../src/cli/init-files.ts';
import type { Project } from './cli.ts';
import { makeProject } from './cli.ts';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../', import.meta.url));

const files = [
  '.dockerignore',
  '.gitignore',
  'Dockerfile',
  'README.md',
  'everloop.config.ts',
  'package.json',
  'test/support.test.ts',
  'tools/order-status.ts',
  'tsconfig.json',
];

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly engines: Record<string, string>;
  readonly dependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
}

async function manifestIn(folder: string): Promise<Manifest> {
  const manifest: Manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  return manifest;
}

/** What `npm install` would bring, with this repository in the place of the package. */
async function install({ folder, env }: Project): Promise<void> {
  const modules = join(folder, 'node_modules');
  const everloop = join(modules, 'everloop');
  await mkdir(everloop, { recursive: true });
  await mkdir(join(modules, '.bin'));
  await mkdir(join(modules, '@types'));
  await symlink(join(repository, 'src'), join(everloop, 'src'));
  const exports = { '.': './src/index.ts', './testing': './src/testing/index.ts' };
  const manifest = { name: 'everloop', type: 'module', exports };
  await writeFile(join(everloop, 'package.json'), JSON.stringify(manifest));
  for (const name of ['zod', 'vitest', '@types/node']) {
    await symlink(join(repository, 'node_modules', name), join(modules, name));
  }
  const bin = join(modules, '.bin', 'everloop');
  const main = join(repository, 'src', 'cli', 'main.ts');
  await writeFile(bin, `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`);
  await chmod(bin, 0o755);
  env['PATH'] = `${join(repository, 'node_modules', '.bin')}:${env['PATH']}`;
}

describe('init', () => {
  it('writes a project that type-checks and whose tests pass', { timeout: 240_000 }, async () => {
    const project = await makeProject();
    const { code, stdout, stderr } = await project.run('init');
    expect([code, stdout]).toEqual([0, files.map((path) => `written  ${path}\n`).join('')]);
    expect(stderr).toMatch(/^Next:\n {2}npm install\n {2}npm test\n/);
    await install(project);
    const at = { cwd: project.folder, env: project.env };
    const checked = await run('tsc', ['-p', '.', '--pretty', 'false'], at).catch(
      ({ stdout: problems }: { stdout: string }) => ({ stdout: problems }),
    );
    // The package ships declarations; here its sources are checked, too, which is not the project's matter.
    const own = checked.stdout.split('\n').filter((line) => /^(?!\.\.)[\w/.-]+\(/.test(line));
    expect(own).toEqual([]);
    const tested = await run('vitest', ['run', '--no-color'], at);
    expect(tested.stdout).toMatch(/Tests {2}1 passed/);
  });

  it('notices a mistake in a project by its types', { timeout: 120_000 }, async () => {
    const project = await makeProject();
    await project.run('init');
    await install(project);
    const broken = "import config from './everloop.config.ts';\nconfig.agents.absent;\n";
    await project.write('broken.ts', broken);
    const at = { cwd: project.folder, env: project.env };
    const { stdout } = await run('tsc', ['-p', '.', '--pretty', 'false'], at).catch(
      (failure: { stdout: string }) => failure,
    );
    expect(stdout).toMatch(/^broken\.ts\(2,15\): error TS2339/m);
  });

  it('names the project for its folder and makes the folder', async () => {
    const project = await makeProject();
    const { code, stderr } = await project.run('init', 'shops/My Agents');
    expect(code).toBe(0);
    expect(stderr).toContain('cd shops/My Agents');
    const folder = join(project.folder, 'shops', 'My Agents');
    expect((await manifestIn(folder)).name).toBe('my-agents');
    expect(await readFile(join(folder, '.gitignore'), 'utf8')).toContain('.everloop/');
  });

  it('asks for the versions that this package is made with', async () => {
    const own = await manifestIn(repository);
    const starter = await manifestIn(join(repository, 'templates', 'starter'));
    const bare = (range: string | undefined) => range?.replace(/^\^|^npm:[^@]+@/, '');
    expect(starter.engines).toEqual(own.engines);
    expect(bare(starter.dependencies['everloop'])).toBe(own.version);
    expect(starter.dependencies['protobufjs']).toBe(own.dependencies['protobufjs']);
    expect(starter.dependencies['zod']).toBe(own.dependencies['zod']);
    for (const name of ['@types/node', 'vitest']) {
      expect(bare(starter.devDependencies[name])).toBe(bare(own.devDependencies[name]));
    }
    const typescript = bare(own.devDependencies['@typescript/native']);
    expect(bare(starter.devDependencies['typescript'])).toBe(typescript);
  });

  it('refuses a folder that is not empty, and touches nothing in it', async () => {
    const project = await makeProject({ 'notes.txt': 'mine' });
    const { code, stdout, stderr } = await project.run('init');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('--force');
    expect(await readdir(project.folder)).toEqual(['notes.txt']);
  });

  it('takes a new repository for an empty folder', async () => {
    const project = await makeProject();
    await mkdir(join(project.folder, '.git'));
    expect((await project.run('init')).code).toBe(0);
  });

  it('keeps with --force every file that is there, and says so', async () => {
    const project = await makeProject({ 'package.json': '{"type":"module"}', 'README.md': 'mine' });
    const { code, stdout, stderr } = await project.run('init', '--force');
    expect(code).toBe(0);
    expect(stdout).toContain('kept     README.md\nkept     package.json\n');
    expect(stdout).not.toContain('written  README.md');
    expect(await readFile(join(project.folder, 'README.md'), 'utf8')).toBe('mine');
    expect(await readFile(join(project.folder, 'package.json'), 'utf8')).toBe('{"type":"module"}');
    expect(stderr).toMatch(/npm install everloop@\S+ protobufjs@\S+ zod@\S+/);
    const again = await project.run('init', '--force', '--json');
    expect(JSON.parse(again.stdout)).toEqual({
      folder: project.folder,
      written: [],
      kept: files,
    });
  });

  it('refuses what is no folder', async () => {
    const project = await makeProject({ file: '' });
    const { code, stderr } = await project.run('init', 'file');
    expect(code).toBe(2);
    expect(stderr).toContain('file is no folder');
    await expect(access(join(project.folder, 'package.json'))).rejects.toThrow();
  });

  it.each([
    ['/a/My Agents', 'my-agents'],
    ['/a/.hidden_', 'hidden'],
    ['/a/ünïcode', 'n-code'],
    ['/', 'agents'],
    ['/a/___', 'agents'],
  ])('calls the project in %s %s', (folder, name) => {
    expect(toPackageName(folder)).toBe(name);
  });
});
