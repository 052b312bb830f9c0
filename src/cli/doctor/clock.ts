/** How far the clocks of this machine and of the server are apart. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from '@temporalio/client';
import { optionalTsToMs } from '@temporalio/common/lib/time.js';
import type { Finding } from './finding.ts';
import { ok, problem, warning } from './finding.ts';

/** The server's clock minus this one's lies between the two, in milliseconds. */
export interface ClockFacts {
  readonly atLeastMs: number;
  readonly atMostMs: number;
}

/** Times of runs are told by both clocks: from here on people are confused by what they read. */
const confusingMs = 1_000;
/** Certificates and short-lived keys are refused, and waits are shown as over that are not. */
const harmfulMs = 60_000;

const patienceMs = 5_000;
const lookMs = 10;

/** TASK_QUEUE_TYPE_WORKFLOW of Temporal's API. */
const workflowQueue = 1;

/**
 * Asks for work on a task queue that nobody uses, and then for when the server has noticed: that time was read from
 * its clock while this one went from the one reading to the other. Nothing stays on the server.
 * Undefined when it cannot be told.
 */
export async function measureClock(
  connection: Connection,
  namespace: string,
): Promise<ClockFacts | undefined> {
  const name = `everloop-clock-${randomUUID()}`;
  const done = new AbortController();
  const before = Date.now();
  const deadline = before + patienceMs;
  const { workflowService } = connection;
  const polling = connection
    .withAbortSignal(done.signal, () =>
      connection.withDeadline(deadline, () =>
        workflowService.pollWorkflowTaskQueue({ namespace, taskQueue: { name }, identity: name }),
      ),
    )
    // The deadline, the abort below, or a key that may not poll.
    .catch(() => undefined);
  try {
    while (Date.now() < deadline) {
      const { pollers } = await workflowService.describeTaskQueue({
        namespace,
        taskQueue: { name },
        taskQueueType: workflowQueue,
      });
      const after = Date.now();
      const noticed = optionalTsToMs(pollers[0]?.lastAccessTime);
      if (noticed !== undefined) {
        return { atLeastMs: noticed - after, atMostMs: noticed - before };
      }
      await delay(lookMs);
    }
    return undefined;
  } finally {
    done.abort();
    await polling;
  }
}

/** Judges the difference by the least that it can be. */
export function clockFinding(facts: ClockFacts | undefined): Finding {
  if (facts === undefined) {
    return warning(
      'clock',
      'the clock of the server could not be read',
      'compare the two by hand if times look odd: date on both machines',
    );
  }
  const { atLeastMs, atMostMs } = facts;
  const leastMs = Math.max(0, atLeastMs, -atMostMs);
  if (leastMs < confusingMs) {
    const mostMs = Math.max(Math.abs(atLeastMs), Math.abs(atMostMs));
    return ok('clock', `at most ${formatSeconds(mostMs)} away from the server's clock`);
  }
  const way = atLeastMs > 0 ? 'behind' : 'ahead of';
  const what = `this machine's clock is at least ${formatSeconds(leastMs)} ${way} the server's`;
  const fix = 'set both by the same time servers: timedatectl set-ntp true';
  return leastMs < harmfulMs ? warning('clock', what, fix) : problem('clock', what, fix);
}

function formatSeconds(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  return `${seconds < 10 ? seconds.toFixed(2) : Math.floor(seconds)} s`;
}
