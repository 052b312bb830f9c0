/** The demo's story: a run whose Worker is killed when an answer begins to come, and again in the middle of a tool. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Everloop } from '../client/everloop.ts';
import { demoReportName } from '../config-built-in.ts';
import type { RunResult } from '../loop/run-result.ts';
import type { CallLogLine } from '../testing/provider-server/call-log.ts';
import { readJsonLines, readLedger } from './demo-ledger.ts';
import type { DemoWorkerOrder } from './demo-worker.ts';
import type { DemoWorkerProcess } from './demo-worker-process.ts';
import { startDemoWorker } from './demo-worker-process.ts';
import type { FollowOptions } from './follow-run.ts';
import { followRun } from './follow-run.ts';
import { startProgress } from './progress.ts';
import { createTextView } from './run-view.ts';
import type { Terminal } from './terminal.ts';
import { styled } from './terminal.ts';

/** What the story needs. */
export interface StoryOptions {
  readonly order: DemoWorkerOrder;
  readonly kill: boolean;
  /** The provider's log file. */
  readonly log: string;
  readonly everloop: Everloop;
  readonly connect: FollowOptions['connect'];
}

/** Between two looks at a file: an answer is on its way for much longer. */
const lookMs = 5;

/** Starts the run, kills its Worker as asked, and follows it to its end. No Worker process is left. */
export async function runWithKills(
  terminal: Terminal,
  { order, kill, log, everloop, connect }: StoryOptions,
): Promise<{ runId: string; result: RunResult; kills: number }> {
  const { stderr } = terminal;
  // What the model says is part of the story here; stdout is for what comes of it.
  const view = createTextView({ ...terminal, stdout: stderr });
  let progress = startProgress(terminal, '');
  const tell = (text: string) => {
    progress.stop();
    stderr.write(`${styled(stderr, 'yellow', text)}\n`);
  };
  let workers = 0;
  let kills = 0;
  let worker: DemoWorkerProcess | undefined;
  const startWorker = () => {
    workers += 1;
    worker = startDemoWorker(order);
    tell(`Worker ${workers} starts (process ${worker.pid}).`);
    const lost = kills === 0 ? '' : '; a call counts as lost after 5 s without a heartbeat';
    progress = startProgress(terminal, `the run waits for its Worker${lost}`);
    return worker;
  };
  const killAt = async (victim: DemoWorkerProcess, signal: () => Promise<boolean>, why: string) => {
    while (!(await signal())) {
      over.signal.throwIfAborted();
      await delay(lookMs);
    }
    await victim.kill();
    kills += 1;
    tell(`${why}: Worker ${workers} is killed (kill -9).`);
  };
  const over = new AbortController();

  const story = async (): Promise<never> => {
    let current = startWorker();
    if (kill) {
      await Promise.race([
        killAt(current, () => hasBegunToAnswer(log), 'The model has begun to answer'),
        current.failed,
      ]);
      current = startWorker();
      await Promise.race([
        killAt(current, () => isInsideTool(order), 'A tool is in the middle of its work'),
        current.failed,
      ]);
      current = startWorker();
    }
    return await current.failed;
  };

  try {
    const { id: runId } = await everloop.start('demo', {
      id: `demo-${randomUUID()}`,
      input: `Look at the files of this folder and write a report about it to ${demoReportName}.`,
    });
    tell(`Run ${runId} starts.`);
    const following = followRun(terminal, {
      runId,
      connect,
      onEvent: (event) => {
        progress.stop();
        view.event(event);
      },
    });
    const result = await Promise.race([following, story()]);
    view.end(result);
    return { runId, result, kills };
  } finally {
    over.abort();
    progress.stop();
    if (terminal.interrupted.aborted) await worker?.kill();
    else await worker?.end();
  }
}

async function hasBegunToAnswer(log: string): Promise<boolean> {
  const lines = (await readJsonLines(log)) as readonly CallLogLine[];
  return lines.some(({ event }) => event === 'first-delta');
}

/** A tool that waits to be killed has written its first line and not its second. */
async function isInsideTool({ ledger, pauseAt }: DemoWorkerOrder): Promise<boolean> {
  const lines = await readLedger(ledger);
  const last = lines.findLast(({ tool }) => pauseAt.includes(tool));
  return last?.event === 'start';
}
