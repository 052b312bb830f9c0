/** The examination of real set-ups, healthy and broken. */
import { execFile } from 'node:child_process';
import { access, chmod, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import type { Check, Finding } from '../../src/cli/doctor/finding.ts';
import { gatherPackages } from '../../src/cli/doctor/packages.ts';
import { freePort } from '../../src/engine/ports.ts';
import type { Project } from './cli.ts';
import { imports, makeProject } from './cli.ts';

const run = promisify(execFile);

const config = `${imports}
  export default defineConfig({ agents: {
    hello: defineAgent({ model: scriptedModel([{ text: 'hi' }]), instructions: '' }),
  } });`;

const needsKey = `${imports}
  export default defineConfig({ agents: {
    hello: defineAgent({ model: 'openai-chat:gpt-5.5', instructions: '' }),
  } });`;

async function examined(project: Project): Promise<{ code: number | null; findings: Finding[] }> {
  const { code, stdout } = await project.run('doctor', '--json');
  const findings: Finding[] = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  return { code, findings };
}

function problemsOf(findings: readonly Finding[]): Check[] {
  return findings.filter(({ status }) => status === 'problem').map(({ check }) => check);
}

/** A package as npm would have put it there. */
async function install(
  folder: string,
  name: string,
  version: string,
  dependencies: readonly string[] = [],
): Promise<string> {
  const path = join(folder, 'node_modules', name);
  await mkdir(path, { recursive: true });
  const manifest = {
    name,
    version,
    main: 'index.js',
    dependencies: Object.fromEntries(dependencies.map((dependency) => [dependency, '*'])),
  };
  await writeFile(join(path, 'package.json'), JSON.stringify(manifest));
  await writeFile(join(path, 'index.js'), '');
  return path;
}

describe('doctor', () => {
  it('finds nothing wrong with a healthy project and server', async () => {
    const env = { TEMPORAL_ADDRESS: inject('temporalAddress') };
    const project = await makeProject({ 'everloop.config.ts': config }, env);
    const { code, findings } = await examined(project);
    expect(problemsOf(findings)).toEqual([]);
    expect(code).toBe(0);
    const checks = new Set(findings.map(({ check }) => check));
    expect([...checks].toSorted()).toEqual([
      'blob-store',
      'clock',
      'configuration',
      'keys',
      'node',
      'packages',
      'ports',
      'retention',
      'search-attributes',
      'server',
      'temporal-cli',
    ]);
    // Both clocks are this machine's.
    expect(findings.find(({ check }) => check === 'clock')).toMatchObject({ status: 'ok' });
    // Nothing of the try at the blob store stays.
    await expect(access(join(project.folder, '.everloop'))).rejects.toThrow();
  });

  it('says each finding on a line, and how to fix what is wrong', async () => {
    const project = await makeProject({ 'everloop.config.ts': needsKey });
    const { code, stdout, stderr } = await project.run('doctor');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^ok {7}node: Node \d+/);
    expect(stdout).toMatch(
      /^problem {2}keys: agent hello: .*OPENAI_API_KEY.*\n {9}fix: .*OPENAI_API_KEY/m,
    );
    expect(stderr).toMatch(/^1 problem, \d+ warnings?\.$/m);
  });

  it('says that no engine is running, and that a server which is named does not answer', async () => {
    const project = await makeProject({ 'everloop.config.ts': config });
    const without = await examined(project);
    expect(without.code).toBe(0);
    expect(without.findings).toContainEqual({
      check: 'server',
      status: 'ok',
      what: expect.stringContaining('no engine is running'),
    });
    const port = await freePort('127.0.0.1');
    project.env['TEMPORAL_ADDRESS'] = `127.0.0.1:${port}`;
    const { code, findings } = await examined(project);
    expect(code).toBe(1);
    expect(findings.find(({ check }) => check === 'server')).toMatchObject({
      status: 'problem',
      what: expect.stringContaining(`127.0.0.1:${port}`),
      fix: expect.stringContaining('TEMPORAL_ADDRESS'),
    });
  });

  it('says what the namespace lacks', async () => {
    const project = await makeProject(
      { 'everloop.config.ts': config },
      { TEMPORAL_ADDRESS: inject('temporalAddress'), TEMPORAL_NAMESPACE: 'nowhere' },
    );
    const { code, findings } = await examined(project);
    expect(code).toBe(1);
    expect(problemsOf(findings)).toEqual(['server']);
    expect(JSON.stringify(findings)).toContain('everloop setup --create-namespace');
  });

  it('examines the rest when the configuration is broken', async () => {
    const project = await makeProject({ 'everloop.config.ts': 'export default {' });
    const { code, findings } = await examined(project);
    expect(code).toBe(1);
    expect(problemsOf(findings)).toEqual(['configuration']);
    const checks = findings.map(({ check }) => check);
    expect(checks).toEqual(expect.arrayContaining(['node', 'packages', 'blob-store']));
  });

  it('names a Temporal CLI that is set and not usable', async () => {
    const project = await makeProject(
      { 'everloop.config.ts': config },
      { EVERLOOP_TEMPORAL_CLI: '/nowhere/temporal' },
    );
    const { code, findings } = await examined(project);
    expect([code, problemsOf(findings)]).toEqual([1, ['temporal-cli']]);
  });

  it('finds a blob folder that cannot be written to', async ({ skip }) => {
    const project = await makeProject({ 'everloop.config.ts': config });
    const blobs = join(project.folder, '.everloop', 'blobs');
    await mkdir(blobs, { recursive: true });
    await makeReadOnly(blobs).catch((error: unknown) => {
      skip(true, `a folder cannot be made read-only here: ${error}`);
    });
    const { code, findings } = await examined(project);
    expect([code, problemsOf(findings)]).toEqual([1, ['blob-store']]);
    expect(await readdir(blobs)).toEqual([]);
  });

  it('finds a file where the blob folder should be, and leaves it', async () => {
    const project = await makeProject({ 'everloop.config.ts': config });
    await mkdir(join(project.folder, '.everloop'));
    await project.write('.everloop/blobs', 'mine');
    const { code, findings } = await examined(project);
    expect([code, problemsOf(findings)]).toEqual([1, ['blob-store']]);
    expect(await readdir(join(project.folder, '.everloop'))).toEqual(['blobs']);
  });

  it('finds a second protobufjs and a second copy of a Temporal package', async () => {
    const project = await makeProject({ 'everloop.config.ts': config });
    await install(project.folder, '@temporalio/common', '1.20.0', ['protobufjs']);
    await install(project.folder, 'protobufjs', '7.6.6');
    const { code, findings } = await examined(project);
    expect(code).toBe(1);
    const said = findings.filter(({ check }) => check === 'packages');
    expect(said).toMatchObject([
      {
        status: 'problem',
        what: expect.stringContaining('7.6.6 in node_modules/protobufjs'),
        fix: expect.stringContaining('npm install protobufjs'),
      },
      { status: 'problem', what: expect.stringContaining('@temporalio/common (') },
    ]);
  });

  it('says which port another program has', async ({ skip }) => {
    const holder = createServer().listen(8233, '127.0.0.1');
    const isHeld = await new Promise((resolve) => {
      holder.once('listening', () => resolve(true)).once('error', () => resolve(false));
    });
    onTestFinished(() => void holder.close());
    skip(!isHeld, 'another program has the port already');
    const project = await makeProject({ 'everloop.config.ts': config });
    const { code, findings } = await examined(project);
    expect(code).toBe(0);
    expect(findings.find(({ check }) => check === 'ports')).toMatchObject({
      status: 'warning',
      what: expect.stringContaining('8233'),
    });
  });
});

describe('copies of packages', () => {
  it('are those that importers really get, each once', async () => {
    const { folder } = await makeProject();
    const client = await install(folder, '@temporalio/client', '1.24.0', [
      '@temporalio/common',
      'protobufjs',
      'absent',
    ]);
    await install(folder, '@temporalio/common', '1.24.0', ['protobufjs']);
    await install(folder, 'protobufjs', '8.8.1');
    await install(folder, 'unrelated', '1.0.0', ['protobufjs']);
    expect(gatherPackages(folder, [folder]).map(({ path }) => path)).toEqual([
      'node_modules/@temporalio/common',
      'node_modules/protobufjs',
      'node_modules/@temporalio/client',
    ]);
    await install(client, 'protobufjs', '8.8.1');
    expect(gatherPackages(folder, [folder]).map(({ path }) => path)).toContain(
      'node_modules/@temporalio/client/node_modules/protobufjs',
    );
  });

  it('that are linked are the same as where the link leads', async () => {
    const { folder } = await makeProject();
    await install(folder, '@temporalio/common', '1.24.0');
    await mkdir(join(folder, 'app', 'node_modules'), { recursive: true });
    await symlink(
      join(folder, 'node_modules', '@temporalio'),
      join(folder, 'app', 'node_modules', '@temporalio'),
    );
    expect(gatherPackages(folder, [folder, join(folder, 'app')])).toHaveLength(1);
  });

  it('are none where nothing is installed', async () => {
    const { folder } = await makeProject();
    expect(gatherPackages(folder, [folder])).toEqual([]);
  });
});

/** Root may write everywhere, save on a disk that is read-only. */
async function makeReadOnly(folder: string): Promise<void> {
  if (process.getuid?.() !== 0) {
    await chmod(folder, 0o500);
    onTestFinished(() => chmod(folder, 0o700));
    return;
  }
  await run('mount', ['-t', 'tmpfs', '-o', 'ro,size=64k', 'tmpfs', folder]);
  onTestFinished(async () => {
    await run('umount', [folder]);
  });
}
