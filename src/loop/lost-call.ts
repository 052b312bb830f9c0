/** Why a call's result never came back, in words for the model. The same words from the Workflow and from its history. */
import type { ToolOutcome } from './calls.ts';

/** What Temporal says of a failed Activity. */
export type ActivityEnd =
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'timeout'; readonly heartbeat: boolean }
  | { readonly kind: 'failed'; readonly message: string };

/** The outcome of a tool call whose Activity did not complete. */
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
