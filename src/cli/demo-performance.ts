/** The demo on its stage: an engine of its own, a provider, Workers that die, and what came of it. */
import { access, constants, mkdtemp, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRawHistory } from '../client/read-history.ts';
import type { Config } from '../config.ts';
import { demoReportName } from '../config-built-in.ts';
import type { ReadEnvironment } from '../config-environment.ts';
import { startDevServer } from '../engine/dev-server.ts';
import { findTemporalCli } from '../engine/find-temporal-cli.ts';
import { projectDirectory } from '../engine/project-directory.ts';
import type { RunResult } from '../loop/run-result.ts';
import { createFileBlobStore } from '../storage/file-blob-store.ts';
import type { CallLogLine } from '../testing/provider-server/call-log.ts';
import type { DemoCounts } from './demo-counts.ts';
import { countCalls } from './demo-counts.ts';
import type { DemoFork } from './demo-fork.ts';
import { runWithKills } from './demo-kills.ts';
import { readJsonLines, readLedger } from './demo-ledger.ts';
import { demoProviderOf, startDemoProvider } from './demo-provider.ts';
import type { DemoWorkerOrder } from './demo-worker.ts';
import type { Runs } from './engine.ts';
import { connectRuns } from './engine.ts';
import { orInterrupted } from './interrupted.ts';
import { withProgress } from './progress.ts';
import type { Terminal } from './terminal.ts';
import { writeNote } from './terminal.ts';

/** What the demo has shown. */
export interface DemoOutcome {
  readonly result: RunResult;
  readonly kills: number;
  readonly approvals: number;
  readonly fork: DemoFork;
  readonly counts: DemoCounts;
  /** `ok`, or what is wrong. */
  readonly replay: string;
  readonly report: string;
}

/** What a performance needs. */
export interface DemoPerformance {
  readonly stage: string;
  readonly kill: boolean;
  /** Steps that take back what was made, done from the last to the first. */
  readonly undo: (() => Promise<void>)[];
}

/** Performs the demo. What it makes is taken back by the steps in `undo`, whether it succeeds or not. */
export async function performDemo(
  terminal: Terminal,
  { providers, model }: ReadEnvironment,
  { stage, kill, undo }: DemoPerformance,
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
  const provider = await startDemoProvider(model, providers, log);
  undo.push(() => provider.close());
  const isScripted = provider.lacks !== undefined;
  writeNote(
    terminal,
    isScripted ? `The model is scripted: ${provider.lacks} is not set.` : `The model is ${model}.`,
  );
  const reportFolder = await folderForReport(terminal);
  // A real model calls what it likes first; the scripted one is known to search.
  const pauseAt = isScripted ? ['search'] : ['list_files', 'read_file', 'search'];
  const order: DemoWorkerOrder = {
    address: server.address,
    taskQueue: 'everloop-demo',
    root: directory,
    reportFolder,
    ledger,
    model,
    provider: demoProviderOf(model),
    apiKey: 'demo',
    baseURL: provider.url,
    workflowBundle,
    pauseAt: kill ? pauseAt : [],
    blobs: projectDirectory(stage).blobs,
  };
  const demoConfig: Config = {
    agents: new Map(),
    providers,
    namespace: 'default',
    taskQueue: order.taskQueue,
    project: projectDirectory(stage),
    blobs: createFileBlobStore(projectDirectory(stage).blobs),
  };
  const connect = () => connectRuns(demoConfig, { address: server.address });
  const runs = await connect();
  undo.push(() => runs.close());
  const { runId, ...story } = await runWithKills(terminal, {
    order,
    kill,
    log,
    everloop: runs.everloop,
    connect: async () => ({ runs: await connect(), address: server.address }),
  });
  return {
    ...story,
    counts: countCalls({
      log: (await readJsonLines(log)) as readonly CallLogLine[],
      bodies: provider.bodies(),
      ledger: await readLedger(ledger),
    }),
    replay: await withProgress(terminal, 'replaying the run and its fork', () =>
      replayOf(terminal, runs, [runId, story.fork.runId]),
    ),
    report: join(reportFolder, demoReportName),
  };
}

/** This folder, unless a report is there already or nothing may be written; then it says so. */
async function folderForReport(terminal: Terminal): Promise<string> {
  const { directory } = terminal;
  const isTaken = await isWritten(join(directory, demoReportName));
  const mayWrite = await access(directory, constants.W_OK).then(
    () => true,
    () => false,
  );
  if (!isTaken && mayWrite) return directory;
  const why = isTaken
    ? `${demoReportName} is here already and stays as it is`
    : 'Nothing may be written in this folder';
  writeNote(terminal, `${why}: the report goes to a temporary folder.`);
  return await mkdtemp(join(tmpdir(), 'everloop-demo-report-'));
}

/** Whether the file holds anything. */
export async function isWritten(file: string): Promise<boolean> {
  return await stat(file).then(
    ({ size }) => size > 0,
    () => false,
  );
}

async function replayOf(
  terminal: Terminal,
  { client }: Runs,
  runIds: readonly string[],
): Promise<string> {
  const { installWorkerRuntime } = await import('./worker-runtime.ts');
  const { replayHistory } = await import('../replay/replay.ts');
  installWorkerRuntime(terminal);
  for (const runId of runIds) {
    const history = await Array.fromAsync(readRawHistory(client, { runId }));
    const verdict = await replayHistory(history, runId);
    if (!verdict.ok) return verdict.problem;
  }
  return 'ok';
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
