/** Heartbeats for the whole life of an Activity: they carry cancellation to it, and tell the next attempt which attempts came before. */
import { Context } from '@temporalio/activity';
import * as z from 'zod/mini';
import { Attempt } from '../loop/calls.ts';

/**
 * Runs `work` with a heartbeat every `intervalMs`, or four in the Activity's heartbeat timeout. Each beat
 * carries the attempts so far, and so does the failure of an attempt: failed attempts are not in history, so
 * the attempt that succeeds returns them. A call that succeeds at once costs no beat: each is a request to
 * the server and a write there.
 */
export async function withHeartbeat<T>(
  intervalMs: number,
  work: (earlier: readonly Attempt[]) => Promise<T>,
): Promise<T> {
  const context = Context.current();
  const { attempt, heartbeatDetails } = context.info;
  const earlier = attemptsBefore(attempt, heartbeatDetails);
  const attempts = [...earlier, { attempt, startedAt: new Date().toISOString() }];
  // The run may have been started beside a Worker with a shorter timeout than this one's settings go with.
  const { heartbeatTimeoutMs = Number.POSITIVE_INFINITY } = context.info;
  const everyMs = Math.min(intervalMs, heartbeatTimeoutMs / 4);
  const timer = setInterval(() => context.heartbeat(attempts), everyMs);
  try {
    return await work(earlier);
  } catch (error) {
    context.heartbeat(attempts);
    throw error;
  } finally {
    clearInterval(timer);
  }
}

/** The attempts before this one; of one that was killed before its first beat only the number is known. */
function attemptsBefore(attempt: number, details: unknown): readonly Attempt[] {
  const parsed = z.array(Attempt).safeParse(details);
  const told = parsed.success ? parsed.data : [];
  return Array.from({ length: attempt - 1 }, (_, index) => {
    const number = index + 1;
    return told.find((each) => each.attempt === number) ?? { attempt: number };
  });
}

/**
 * True when the run was cancelled: only then may an Activity return what it has. On shutdown, time-out,
 * pause or reset it throws, so that another attempt does the work.
 */
export function isRunCancelled(): boolean {
  return Context.current().cancellationDetails?.cancelRequested === true;
}
