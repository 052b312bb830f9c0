/** How a tool call ended, seen from the Workflow and from its history alike. */
import type { IdentifiedMessage } from '../chat/transcript-message.ts';
import type { ToolRunResult } from './calls.ts';

/**
 * `finished`: with its own result. `cancelled`: told to stop while it ran. `lost`: it started and its result
 * never came back. `not-started`: called off before any Worker took it.
 */
export type ToolOutcome =
  | { readonly status: 'finished'; readonly message: IdentifiedMessage }
  | { readonly status: 'cancelled' }
  | { readonly status: 'lost'; readonly reason: string }
  | { readonly status: 'not-started' };

/** What Temporal says of an Activity that did not complete. */
export type ActivityEnd =
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'timeout'; readonly heartbeat: boolean }
  | { readonly kind: 'failed'; readonly message: string };

/** The outcome that a tool Activity returned. */
export function returnedOutcome(result: ToolRunResult): ToolOutcome {
  return 'message' in result
    ? { status: 'finished', message: result.message }
    : { status: 'cancelled' };
}

/** The outcome of a tool call whose Activity did not complete, with the reason in words for the model. */
export function lostOutcome(end: ActivityEnd): ToolOutcome {
  switch (end.kind) {
    case 'cancelled':
      return { status: 'not-started' };
    case 'timeout':
      return {
        status: 'lost',
        reason: end.heartbeat ? 'its Worker stopped answering' : 'it did not finish in time',
      };
    case 'failed':
      return { status: 'lost', reason: end.message };
  }
}
