/** How a sub-agent began and ended, in the words of Temporal's history: in the Workflow and in its projection alike. */
import { isRecord } from '../chat/is-record.ts';
import { isRunResult } from './call-results.ts';
import type { RunResult } from './run-result.ts';

/** What is said of a sub-agent that was cancelled. */
export const wasCancelled = 'the sub-agent was cancelled';

/** What a child Workflow came to. */
export interface ChildEnd {
  readonly result?: RunResult;
  readonly problem?: string;
}

/** The call that a child Workflow with that argument answers; undefined for one that is no sub-agent. */
export function startedChild(
  argument: unknown,
): { readonly callId: string; readonly agent: string } | undefined {
  if (!isRecord(argument)) return undefined;
  const { start = argument['from'] } = argument;
  if (!isRecord(start) || !isRecord(start['parent'])) return undefined;
  const { callId } = start['parent'];
  const { agent } = start;
  return typeof callId === 'string' && typeof agent === 'string' ? { callId, agent } : undefined;
}

/**
 * The end of a child Workflow; undefined for a cancelled one, which records no result: it is read.
 * @param isLeaving the parent is being cancelled and reads nothing any more
 */
export function endOfChild(
  closed: { readonly how: string; readonly result?: unknown; readonly message?: string },
  isLeaving: boolean,
): ChildEnd | undefined {
  if (closed.how === 'cancelled') return isLeaving ? { problem: wasCancelled } : undefined;
  if (isRunResult(closed.result)) return { result: closed.result };
  if (closed.how === 'terminated') return { problem: 'the sub-agent was terminated' };
  if (closed.how === 'timed-out') return { problem: 'the sub-agent took too long' };
  return { problem: closed.message ?? 'it ended without a result' };
}
