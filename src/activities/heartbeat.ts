/** Heartbeats for the whole life of an Activity: they carry cancellation to it, and tell the next attempt which attempts came before. */
import { Context } from '@temporalio/activity';
import * as z from 'zod/mini';
import { Attempt } from '../loop/calls.ts';

/**
 * Runs `work` with a heartbeat now and every `intervalMs`, or four in the Activity's heartbeat timeout. Each beat carries the attempts so far: failed
 * attempts are not in history, so the attempt that succeeds returns them.
 */
export async function withHeartbeat<T>(
  intervalMs: number,
  work: (earlier: readonly Attempt[]) => Promise<T>,
): Promise<T> {
  const context = Context.current();
  const earlier = attemptsIn(context.info.heartbeatDetails);
  const startedAt = new Date().toISOString();
  const attempts = [...earlier, { attempt: context.info.attempt, startedAt }];
  context.heartbeat(attempts);
  // The run may have been started beside a Worker with a shorter timeout than this one's settings go with.
  const { heartbeatTimeoutMs = Number.POSITIVE_INFINITY } = context.info;
  const everyMs = Math.min(intervalMs, heartbeatTimeoutMs / 4);
  const timer = setInterval(() => context.heartbeat(attempts), everyMs);
  try {
    return await work(earlier);
  } finally {
    clearInterval(timer);
  }
}

function attemptsIn(details: unknown): readonly Attempt[] {
  const parsed = z.array(Attempt).safeParse(details);
  return parsed.success ? parsed.data : [];
}

/**
 * True when the run was cancelled: only then may an Activity return what it has. On shutdown, time-out,
 * pause or reset it throws, so that another attempt does the work.
 */
export function isRunCancelled(): boolean {
  return Context.current().cancellationDetails?.cancelRequested === true;
}
