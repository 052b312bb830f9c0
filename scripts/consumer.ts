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

/** Workflows of the consumer's own: one that has an agent do a part of its work. */
const workflows = `
import { runAgent } from 'everloop/workflow';
import type config from './everloop.config.ts';

export async function report(question: string): Promise<string> {
  const { output, stopReason } = await runAgent<typeof config>('doubler', { input: question });
  // @ts-expect-error there is no such agent
  const another = () => runAgent<typeof config>('tripler', { input: question });
  return [stopReason, output, typeof another].join(': ');
}
`;

/** A Worker of the consumer's own, and the kit. Prints one line of JSON. */
const own = `
import { NativeConnection, Worker } from '@temporalio/worker';
import { Client } from '@temporalio/client';
import { Everloop } from 'everloop';
import type { CrashReport, FinishedRun } from 'everloop/testing';
import {
  historyBytesPerIteration,
  killWorkerAt,
  startTestEngine,
  startTestHarness,
} from 'everloop/testing';
import { EverloopPlugin } from 'everloop/worker';
import config from './everloop.config.ts';
import type { report } from './workflows.ts';

const engine = await startTestEngine();
const harness = await startTestHarness({ agents: config.agents, engine });
const { run, result }: FinishedRun = await harness.run('doubler', 'Twice 21?');
// @ts-expect-error there is no such agent
const another = () => harness.run('tripler', 'Thrice 14?');
const bytes = await historyBytesPerIteration(run);
await harness.stop();

const connection = await NativeConnection.connect({ address: engine.address });
const worker = await Worker.create({
  connection,
  taskQueue: 'own',
  workflowsPath: new URL('./workflows.ts', import.meta.url).pathname,
  activities: { own: async () => 'own' },
  plugins: [new EverloopPlugin({ config, profile: 'embedded' })],
});
const client = new Client({ connection });
const reported = await worker.runUntil(async () => {
  const direct = await Everloop.from<typeof config>(client, { taskQueue: 'own' }).start('doubler', {
    input: 'Twice 21?',
  });
  await direct.result();
  return await client.workflow.execute<typeof report>('report', {
    workflowId: 'report',
    taskQueue: 'own',
    args: ['Twice 21?'],
  });
});
await connection.close();

const crash: CrashReport = await killWorkerAt({
  module: new URL('./everloop.config.ts', import.meta.url),
  agent: 'doubler',
  start: { input: 'Twice 21?' },
  at: { moment: 'tool-start', tool: 'double' },
  engine,
});
await engine.stop();
console.log(
  JSON.stringify({
    harness: result.output,
    iterations: bytes.length,
    reported,
    killed: crash.kills.length,
    attempts: crash.calls.map(({ attempts }) => attempts),
    survived: crash.result.output,
    another: typeof another,
  }),
);
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

/** What a program printed last, which is JSON. */
function lastLine(printed: string): unknown {
  return JSON.parse(printed.trim().split('\n').at(-1) ?? '');
}

try {
  execFileSync('npm', ['pack', '--silent', '--pack-destination', project], { cwd: repository });
  const [tarball] = globSync(join(project, '*.tgz'));
  assert.ok(tarball, 'npm pack left a tarball');
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
  writeFileSync(join(project, 'everloop.config.ts'), config);
  writeFileSync(join(project, 'ask.ts'), program);
  writeFileSync(join(project, 'workflows.ts'), workflows);
  writeFileSync(join(project, 'own.ts'), own);
  writeFileSync(
    join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['*.ts'] }),
  );
  run('npm', 'install', '--silent', '--no-audit', '--no-fund', '--ignore-scripts', tarball);
  run(join(repository, 'node_modules/.bin/tsc'), '-p', '.');
  const cli = join(project, 'node_modules/everloop/dist/cli/main.js');
  const printed = run(process.execPath, cli, 'run', 'doubler', 'Twice 21?', '--json');
  assert.partialDeepStrictEqual(lastLine(printed), {
    output: 'It is 42.',
    stopReason: 'completed',
  });
  assert.deepStrictEqual(lastLine(run(process.execPath, 'own.ts')), {
    harness: 'It is 42.',
    iterations: 2,
    reported: 'completed: It is 42.: function',
    killed: 1,
    attempts: [1, 2, 1],
    survived: 'It is 42.',
    another: 'function',
  });
  console.log('consumer ok');
} finally {
  rmSync(project, { recursive: true, force: true });
}
