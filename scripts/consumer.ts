/** Installs the packed package into a project of its own and uses it there as a reader of the README would: types, configuration, command line. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const repository = join(import.meta.dirname, '..');
const project = mkdtempSync(join(tmpdir(), 'everloop-consumer-'));

const config = `
import { defineAgent, defineConfig, defineTool } from 'everloop';
import { scriptedModel } from 'everloop/testing';
import { z } from 'zod';

const double = defineTool({
  name: 'double',
  description: 'Doubles a number.',
  input: z.object({ n: z.number() }),
  effect: 'none',
  execute: ({ n }) => String(n * 2),
});

const model = scriptedModel([
  { calls: [{ name: 'double', input: { n: 21 } }] },
  { text: 'It is 42.' },
]);

export default defineConfig({
  agents: { doubler: defineAgent({ model, instructions: 'You double.', tools: [double] }) },
});
`;

const program = `
import { Everloop } from 'everloop/client';
import type config from './everloop.config.ts';

export async function ask(everloop: Everloop<typeof config>): Promise<string> {
  const run = await everloop.start('doubler', { input: 'Twice 21?' });
  // @ts-expect-error there is no such agent
  await everloop.start('tripler', { input: 'Thrice 14?' });
  return (await run.result()).output;
}
`;

const compilerOptions = {
  module: 'nodenext',
  target: 'es2024',
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
};

function run(file: string, ...args: readonly string[]): string {
  return execFileSync(file, args, {
    cwd: project,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

try {
  execFileSync('npm', ['pack', '--silent', '--pack-destination', project], { cwd: repository });
  const [tarball] = globSync(join(project, '*.tgz'));
  assert.ok(tarball, 'npm pack left a tarball');
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
  writeFileSync(join(project, 'everloop.config.ts'), config);
  writeFileSync(join(project, 'ask.ts'), program);
  writeFileSync(
    join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['*.ts'] }),
  );
  run('npm', 'install', '--silent', '--no-audit', '--no-fund', '--ignore-scripts', tarball);
  run(join(repository, 'node_modules/.bin/tsc'), '-p', '.');
  const cli = join(project, 'node_modules/everloop/dist/cli/main.js');
  const printed = run(process.execPath, cli, 'run', 'doubler', 'Twice 21?', '--json');
  const result: unknown = JSON.parse(printed.trim().split('\n').at(-1) ?? '');
  assert.partialDeepStrictEqual(result, { output: 'It is 42.', stopReason: 'completed' });
  console.log('consumer ok');
} finally {
  rmSync(project, { recursive: true, force: true });
}
