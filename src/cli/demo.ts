/** `everloop demo`: a real job on the files of this folder, whose Worker is killed twice and which comes to its end all the same. */
import { access, constants, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { readRawHistory } from '../client/read-history.ts';
import type { Config } from '../config.ts';
import { demoReportName } from '../config-built-in.ts';
import type { ReadEnvironment } from '../config-environment.ts';
import { readEnvironment } from '../config-environment.ts';
import { startDevServer } from '../engine/dev-server.ts';
import { findTemporalCli } from '../engine/find-temporal-cli.ts';
import { projectDirectory } from '../engine/project-directory.ts';
import { ConfigurationError } from '../everloop-error.ts';
import type { RunResult } from '../loop/run-result.ts';
import type { CallLogLine } from '../testing/openai-chat-call-log.ts';
import type { DemoCounts } from './demo-counts.ts';
import { countCalls } from './demo-counts.ts';
import { runWithKills } from './demo-kills.ts';
import { readJsonLines, readLedger } from './demo-ledger.ts';
import { startDemoProvider } from './demo-provider.ts';
import type { DemoWorkerOrder } from './demo-worker.ts';
import type { Runs } from './engine.ts';
import { connectRuns } from './engine.ts';
import { exitCode } from './exit-codes.ts';
import { counted } from './format.ts';
import { orInterrupted } from './interrupted.ts';
import type { Cli } from './program.ts';
import { withProgress } from './progress.ts';
import type { Terminal } from './terminal.ts';
import { styled, writeJson, writeLine, writeNote } from './terminal.ts';

interface DemoOptions {
  readonly kill: boolean;
  readonly json?: boolean;
}

/** What the demo has shown. */
interface DemoOutcome {
  readonly result: RunResult;
  readonly kills: number;
  readonly counts: DemoCounts;
  /** `ok`, or what is wrong. */
  readonly replay: string;
  readonly report: string;
}

/** Adds the command to the program. */
export function addDemo(root: Command, cli: Cli): void {
  root
    .command('demo')
    .summary('watch a run survive: five minutes, no key needed')
    .description(
      'An agent reports on the files of this folder while its Worker is killed twice. Without OPENAI_API_KEY a scripted model speaks. Nothing but the report is written.',
    )
    .option('--no-kill', 'let the Worker live')
    .option('--json', 'one object at the end')
    .action((options: DemoOptions) => demo(cli, options));
}

async function demo(cli: Cli, { kill, json }: DemoOptions): Promise<void> {
  const { terminal } = cli;
  const environment = readEnvironment(terminal.env);
  if (environment.problems.length > 0) {
    throw new ConfigurationError('the environment is not fit for the demo', environment.problems);
  }
  const startedAt = Date.now();
  const stage = await mkdtemp(join(tmpdir(), 'everloop-demo-'));
  const undo: (() => Promise<void>)[] = [() => rm(stage, { recursive: true, force: true })];
  let outcome: DemoOutcome;
  try {
    outcome = await perform(terminal, environment, { stage, kill, undo });
  } finally {
    for (const step of undo.toReversed()) await step().catch(() => undefined);
  }
  const { kills, counts, replay, report, result } = outcome;
  const { modelCalls, toolCalls, repeated } = counts;
  if (json === true)
    writeJson(terminal, { kills, modelCalls, toolCalls, repeated, replay, report });
  else writeOutcome(terminal, outcome, Math.round((Date.now() - startedAt) / 1000));
  const isAsPromised =
    result.stopReason === 'completed' &&
    kills === (kill ? 2 : 0) &&
    repeated === 0 &&
    replay === 'ok' &&
    (await isWritten(report));
  if (isAsPromised) return;
  writeNote(terminal, `Something is not as promised: ${result.stopReason}: ${result.ended}`);
  cli.exitWith(exitCode.failed);
}

interface Performance {
  readonly stage: string;
  readonly kill: boolean;
  /** Steps that take back what was made, done from the last to the first. */
  readonly undo: (() => Promise<void>)[];
}

async function perform(
  terminal: Terminal,
  { providers, model }: ReadEnvironment,
  { stage, kill, undo }: Performance,
): Promise<DemoOutcome> {
  const { env, interrupted, directory } = terminal;
  const server = await withProgress(
    terminal,
    'starting an engine of its own',
    async (onProgress) => {
      const cli = await orInterrupted(findTemporalCli({ env, onProgress }), interrupted);
      return await startDevServer({ cli, databaseFile: join(stage, 'temporal.db') });
    },
  );
  undo.push(() => server.stop());
  const log = join(stage, 'provider.jsonl');
  const ledger = join(stage, 'ledger.jsonl');
  const workflowBundle = await withProgress(terminal, 'bundling the Workflow', () =>
    bundleFile(stage),
  );
  const provider = await startDemoProvider(providers['openai-chat'] ?? {}, log);
  undo.push(() => provider.close());
  writeNote(
    terminal,
    provider.isReal
      ? `The model is ${model}.`
      : 'The model is scripted: OPENAI_API_KEY is not set.',
  );
  const reportFolder = await folderForReport(directory);
  // A real model calls what it likes first; the scripted one is known to search.
  const pauseAt = provider.isReal ? ['list_files', 'read_file', 'search'] : ['search'];
  const order: DemoWorkerOrder = {
    address: server.address,
    taskQueue: 'everloop-demo',
    root: directory,
    reportFolder,
    ledger,
    model,
    apiKey: 'demo',
    baseURL: provider.url,
    workflowBundle,
    pauseAt: kill ? pauseAt : [],
  };
  const demoConfig: Config = {
    agents: new Map(),
    providers,
    namespace: 'default',
    taskQueue: order.taskQueue,
    project: projectDirectory(stage),
  };
  const connect = () => connectRuns(demoConfig, { address: server.address });
  const runs = await connect();
  undo.push(() => runs.close());
  const { runId, result, kills } = await runWithKills(terminal, {
    order,
    kill,
    log,
    everloop: runs.everloop,
    connect: async () => ({ runs: await connect(), address: server.address }),
  });
  return {
    result,
    kills,
    counts: countCalls({
      log: (await readJsonLines(log)) as readonly CallLogLine[],
      bodies: provider.bodies(),
      ledger: await readLedger(ledger),
    }),
    replay: await withProgress(terminal, 'replaying the run', () =>
      replayOf(terminal, runs, runId),
    ),
    report: join(reportFolder, demoReportName),
  };
}

/** This folder, unless a report is there already or nothing may be written. */
async function folderForReport(directory: string): Promise<string> {
  const isFree = !(await isWritten(join(directory, demoReportName)));
  const mayWrite = await access(directory, constants.W_OK).then(
    () => true,
    () => false,
  );
  return isFree && mayWrite ? directory : await mkdtemp(join(tmpdir(), 'everloop-demo-report-'));
}

async function isWritten(file: string): Promise<boolean> {
  return await stat(file).then(
    ({ size }) => size > 0,
    () => false,
  );
}

async function replayOf(terminal: Terminal, { client }: Runs, runId: string): Promise<string> {
  const { installWorkerRuntime } = await import('./worker-runtime.ts');
  const { replayHistory } = await import('../replay/replay.ts');
  installWorkerRuntime(terminal);
  const verdict = await replayHistory(
    await Array.fromAsync(readRawHistory(client, { runId })),
    runId,
  );
  return verdict.ok ? 'ok' : verdict.problem;
}

/** Bundled once, so that each new Worker process is there sooner; the file that it is read from. */
async function bundleFile(stage: string): Promise<string> {
  const { workflowBundle } = await import('../engine/workflow-bundle.ts');
  const bundle = await workflowBundle();
  if ('codePath' in bundle) return bundle.codePath;
  const file = join(stage, 'workflow-bundle.js');
  await writeFile(file, bundle.code);
  return file;
}

function writeOutcome(terminal: Terminal, outcome: DemoOutcome, seconds: number): void {
  const { result, kills, counts, replay, report } = outcome;
  const { modelCalls, cutModelCalls, toolCalls, cutToolCalls, repeated } = counts;
  const again = (cut: number) => (cut === 0 ? '' : `, ${cut} more broken off and asked again`);
  const rows: readonly (readonly [string, string])[] = [
    [
      'run',
      `${result.stopReason}, ${counted(result.iterations, 'iteration')}, ${seconds} s in all`,
    ],
    ['Worker killed', counted(kills, 'time')],
    ['model calls', `${modelCalls} answered${again(cutModelCalls)}`],
    ['tool calls', `${toolCalls} finished${again(cutToolCalls)}`],
    ['run again although complete', String(repeated)],
    ['replay', replay],
    ['report', report],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  for (const [name, value] of rows) {
    writeLine(terminal, `${styled(terminal.stdout, 'bold', name.padEnd(width))}  ${value}`);
  }
}
