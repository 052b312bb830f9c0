/** How calls to the Temporal server are tried again. */
import type { GrpcRetryOptions } from '@temporalio/client';
import { defaultGrpcRetryOptions } from '@temporalio/client';

/**
 * gRPC `RESOURCE_EXHAUSTED`: the server's word for a full query buffer, too many Updates at once and
 * a run that is just continuing as new, all of which pass within milliseconds.
 */
const resourceExhausted = 8;

const shortestDelayMs = 10;
const longestDelayMs = 200;

/** With the delays of {@link exhaustedDelayMs}, about ten seconds of trying: a rate limit shows then. */
const exhaustedAttempts = 100;

/** The SDK's own: ten attempts over 20 s, each at most 5 s apart. */
const otherwise = defaultGrpcRetryOptions();

/**
 * Delay before attempt `attempt + 1` of a call that found the server exhausted: 10 to 200 ms, growing
 * with the attempts, with jitter over the whole range so that many callers do not return together.
 * The SDK waits 1.7 s, 2.9 s, 4.9 s … and ignores a wish for less.
 */
export function exhaustedDelayMs(attempt: number, random: number = Math.random()): number {
  const ceiling = Math.min(longestDelayMs, shortestDelayMs * 2 ** attempt);
  return shortestDelayMs + random * (ceiling - shortestDelayMs);
}

/** For Temporal's `makeGrpcRetryInterceptor`. */
export const grpcRetryOptions: GrpcRetryOptions = {
  delayFunction: (attempt, status) =>
    status.code === resourceExhausted
      ? exhaustedDelayMs(attempt)
      : otherwise.delayFunction(attempt, status),
  // Asked about successful calls, too (code 0), which the SDK's own decider turns down.
  retryableDecider: (attempt, status) =>
    status.code === resourceExhausted
      ? attempt < exhaustedAttempts
      : otherwise.retryableDecider(attempt, status),
};
