/** Kills Workers in the middle of a run, and tells what became of it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { WorkflowBundleOption } from '@temporalio/worker';
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import type { StartOptions } from '../client/everloop.ts';
import { Everloop } from '../client/everloop.ts';
import type { RunHandle } from '../client/run-handle.ts';
import { connectClient } from '../engine/connect.ts';
import { workflowBundle } from '../engine/workflow-bundle.ts';
import type { RunResult } from '../loop/run-result.ts';
import type { Providers } from '../models/model-registry.ts';
import { createFileBlobStore } from '../storage/file-blob-store.ts';
import { assertReplays } from './assert-replays.ts';
import type { CrashWorkerOrder } from './crash/crash-worker.ts';
import type { CrashWorkerProcess } from './crash/crash-worker-process.ts';
import { startCrashWorker } from './crash/crash-worker-process.ts';
import type { RecordedRunCall } from './crash/recorded-calls.ts';
import { recordedCalls } from './crash/recorded-calls.ts';
import type { KillPoint, NotedMoment } from './crash/worker-moment.ts';
import { readMoments } from './crash/worker-moment.ts';
import { Opened } from './opened.ts';
import type { TestEngine } from './test-engine.ts';
import { startTestEngine } from './test-engine.ts';

/** Which run is disturbed, and when. */
export interface KillWorkerOptions {
  /** The module with the agents, which each Worker process loads: its `agents`, or its default export from `defineConfig`. */
  readonly module: URL | string;
  readonly agent: string;
  readonly start: StartOptions;
  /** When the first Worker is killed; of several, each is for the Worker after the one before. */
  readonly at: KillPoint | readonly KillPoint[];
  /** None when absent, whatever the environment holds. */
  readonly providers?: Providers;
  /** Environment variables of the Worker processes, beside those of this one: how a test tells its module something. */
  readonly env?: Readonly<Record<string, string>>;
  /** Arguments of Node for the Worker processes; those of this one when absent. */
  readonly execArgv?: readonly string[];
  /** An engine that tests share; one for this run when absent. */
  readonly engine?: Pick<TestEngine, 'address'>;
  /** The Workflow code; this build's when absent. */
  readonly bundle?: WorkflowBundleOption;
  /** Time for all of it, a minute when absent: a call of a killed Worker counts as lost after five seconds. */
  readonly timeoutMs?: number;
}

/** What became of the run. */
export interface CrashReport {
  readonly runId: string;
  readonly result: RunResult;
  /** The whole transcript. */
  readonly messages: readonly TranscriptMessage[];
  /** Where Workers were killed, one for each point. */
  readonly kills: readonly NotedMoment[];
  /** What each Worker came to, in the order in which it happened: the same call twice is a call made twice. */
  readonly moments: readonly NotedMoment[];
  /** What history records of the calls, in the order in which they were scheduled. */
  readonly calls: readonly RecordedRunCall[];
}

/**
 * Runs an agent in a Worker process of its own, kills it (SIGKILL: no handler runs) at the moment that is asked
 * for, starts another, and follows the run to its end. The run is replayed at the end.
 * @throws Error when the run ends before its Worker could be killed, a Worker ends by itself, or the time is up
 * @throws AssertionError when the run does not replay
 */
export async function killWorkerAt(options: KillWorkerOptions): Promise<CrashReport> {
  const opened = new Opened();
  try {
    return await disturb(options, opened);
  } finally {
    await opened.close();
  }
}

async function disturb(options: KillWorkerOptions, opened: Opened): Promise<CrashReport> {
  const { agent, start, bundle = await workflowBundle(), timeoutMs = 60_000 } = options;
  const folder = await mkdtemp(join(tmpdir(), 'everloop-crash-'));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const address = options.engine?.address ?? (await ownEngine(opened));
  const { client, connection } = await connectClient({ address, namespace: 'default' });
  opened.defer(() => connection.close());
  const order: Omit<CrashWorkerOrder, 'worker'> = {
    module: urlOf(options.module),
    address,
    taskQueue: `crash-${crypto.randomUUID()}`,
    providers: options.providers ?? {},
    blobs: join(folder, 'blobs'),
    moments: join(folder, 'moments.jsonl'),
    bundle: await fileOf(bundle, folder),
  };
  const blobs = createFileBlobStore(order.blobs);
  const everloop = Everloop.from(client, { taskQueue: order.taskQueue, blobs });
  const run = await everloop.start(agent, start);
  const deadline = AbortSignal.timeout(timeoutMs);
  const result = await withKills(run, order, options, opened, deadline);
  await assertReplays(client, run.id, { bundle });
  const moments = await readMoments(order.moments);
  const { parts } = await run.recorded();
  return {
    runId: run.id,
    result,
    messages: await run.messages(),
    kills: moments.filter(({ killed }) => killed === true),
    moments,
    calls: parts.flatMap(({ events }) => recordedCalls(events)),
  };
}

async function ownEngine(opened: Opened): Promise<string> {
  const engine = await startTestEngine();
  opened.defer(() => engine.stop());
  return engine.address;
}

/** Lets Worker after Worker be killed, and the last one bring the run to its end. */
async function withKills(
  run: RunHandle,
  order: Omit<CrashWorkerOrder, 'worker'>,
  { at, env = {}, execArgv = process.execArgv }: KillWorkerOptions,
  opened: Opened,
  deadline: AbortSignal,
): Promise<RunResult> {
  const points: readonly KillPoint[] = 'moment' in at ? [at] : at;
  const over = run.result();
  over.catch(() => undefined);
  const late = Promise.withResolvers<never>();
  late.promise.catch(() => undefined);
  deadline.addEventListener('abort', () => late.reject(new Error('the time is up')), {
    once: true,
  });
  const startWorker = (worker: number, kill?: KillPoint): CrashWorkerProcess => {
    const process = startCrashWorker(
      { ...order, worker, ...(kill && { kill }) },
      { env, execArgv },
    );
    opened.defer(() => process.end());
    return process;
  };
  try {
    for (const [index, point] of points.entries()) {
      const { killed } = startWorker(index + 1, point);
      const early = over.then(({ ended }) => {
        throw new Error(`the run ended before its Worker could be killed: ${ended}`);
      });
      await Promise.race([killed, early, late.promise]);
    }
    const last = startWorker(points.length + 1);
    // It is not killed: it can only fail.
    const failed = last.killed.then(() => Promise.reject(new Error('the last Worker was killed')));
    return await Promise.race([over, failed, late.promise]);
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    throw new Error(`${what}\n${told(await readMoments(order.moments))}`, { cause: error });
  }
}

function told(moments: readonly NotedMoment[]): string {
  const lines = moments.map(
    ({ worker, moment, activityId, attempt }) =>
      `  Worker ${worker}: ${moment} of ${activityId}, attempt ${attempt}`,
  );
  return lines.length === 0 ? 'No Worker came to any moment.' : lines.join('\n');
}

function urlOf(module: URL | string): string {
  if (module instanceof URL) return module.href;
  return module.startsWith('file:') ? module : pathToFileURL(module).href;
}

async function fileOf(bundle: WorkflowBundleOption, folder: string): Promise<string> {
  if ('codePath' in bundle) return bundle.codePath;
  const file = join(folder, 'workflow-bundle.js');
  await writeFile(file, bundle.code);
  return file;
}
