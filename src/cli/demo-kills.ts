/** The demo's story: a run whose Worker is killed when an answer begins to come, and again in the middle of a tool; an approval; a fork. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Everloop } from '../client/everloop.ts';
import { demoReportName } from '../config-built-in.ts';
import type { RunResult } from '../loop/run-result.ts';
import type { CallLogLine } from '../testing/provider-server/call-log.ts';
import { createDemoApproval } from './demo-approval.ts';
import type { DemoFork } from './demo-fork.ts';
import { performFork } from './demo-fork.ts';
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

/** What has happened. */
export interface DemoStory {
  readonly runId: string;
  readonly result: RunResult;
  readonly kills: number;
  readonly approvals: number;
  readonly fork: DemoFork;
}

/** Between two looks at a file: an answer is on its way for much longer. */
const lookMs = 5;

/** Starts the run, kills its Worker as asked, grants what it asks for, follows it to its end, and forks it. No Worker process is left. */
export async function runWithKills(
  terminal: Terminal,
  { order, kill, log, everloop, connect }: StoryOptions,
): Promise<DemoStory> {
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
  const approval = createDemoApproval(everloop, tell);

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
        approval.event(event);
      },
    });
    const trouble = Promise.race([story(), approval.failed]);
    const result = await Promise.race([following, trouble]);
    view.end(result);
    const forking = performFork(terminal, {
      runId,
      everloop,
      connect,
      view: createTextView({ ...terminal, stdout: stderr }, { beginning: true }),
      tell,
    });
    const fork = await Promise.race([forking, trouble]);
    return { runId, result, kills, approvals: approval.granted, fork };
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
