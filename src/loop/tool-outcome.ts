/** How a tool call ended, seen from the Workflow and from its history alike. */
import type { IdentifiedMessage } from '../chat/transcript-message.ts';
import { isToolRunResult } from './call-results.ts';
import type { Attempt } from './calls.ts';
import { cutText } from './cut-text.ts';
import type { HookChanges, HookError } from './hook-changes.ts';

/** Longest reason that a model is told, in UTF-16 code units. */
const reasonLength = 500;

/**
 * `finished`: with its own result. `cancelled`: told to stop while it ran. `lost`: it started and its result
 * never came back. `called-off`: the server called it off: before any Worker took it, or between two attempts.
 * `not-started`: its Worker called it off while it waited for its turn.
 */
export type ToolOutcome =
  | {
      readonly status: 'finished';
      readonly message: IdentifiedMessage;
      /** Attempts before the one that returned. */
      readonly attempts?: readonly Attempt[];
      readonly changes?: readonly HookChanges[];
      readonly hookError?: HookError;
    }
  | { readonly status: 'cancelled' }
  | { readonly status: 'lost'; readonly reason: string }
  | { readonly status: 'called-off' }
  | { readonly status: 'not-started' };

/** Whether the call is known to have been run, to its end or not. */
export function hasStarted({ status }: ToolOutcome): boolean {
  return status !== 'called-off' && status !== 'not-started';
}

/** What Temporal says of an Activity that did not complete. */
export type ActivityEnd =
  | { readonly kind: 'called-off' }
  | { readonly kind: 'timeout'; readonly heartbeat: boolean }
  | { readonly kind: 'failed'; readonly message: string };

/** The outcome that a tool Activity returned. */
export function returnedOutcome(result: unknown): ToolOutcome {
  if (!isToolRunResult(result)) {
    return { status: 'lost', reason: 'it was completed with something that is no tool result' };
  }
  if ('notStarted' in result) return { status: 'not-started' };
  if (!('message' in result)) return { status: 'cancelled' };
  return {
    status: 'finished',
    message: result.message,
    ...(result.attempts !== undefined && { attempts: result.attempts }),
    ...(result.changes !== undefined && { changes: result.changes }),
    ...(result.hookError !== undefined && { hookError: result.hookError }),
  };
}

/** The outcome of a tool call whose Activity did not complete, with the reason in words for the model. */
export function lostOutcome(end: ActivityEnd): ToolOutcome {
  switch (end.kind) {
    case 'called-off':
      return { status: 'called-off' };
    case 'timeout':
      return {
        status: 'lost',
        reason: end.heartbeat ? 'its Worker stopped answering' : 'it did not finish in time',
      };
    case 'failed':
      return { status: 'lost', reason: cutText(end.message, reasonLength) };
  }
}
