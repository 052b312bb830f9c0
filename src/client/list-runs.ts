/** Lists runs through Temporal's visibility. */
import type { Client } from '@temporalio/client';
import { RunMemo } from '../loop/run-memo.ts';
import type { RunStatus } from '../loop/run-status.ts';
import { searchAttribute } from '../loop/search-attributes.ts';
import { memoKey } from '../loop/to-run-memo.ts';
import { translated } from './client-errors.ts';

export interface RunFilter {
  readonly agent?: string;
  /** `running` or a stop reason. */
  readonly status?: string;
  /** A Temporal visibility query, added with AND. */
  readonly query?: string;
}

export interface RunSummary {
  readonly id: string;
  readonly temporalRunId: string;
  readonly agent: string;
  readonly title: string;
  readonly status: RunStatus;
  readonly startedAt: Date;
  readonly closedAt?: Date;
  /** Figures as of `memo.asOf`; absent when the run was started without them and no Worker has seen it. */
  readonly memo?: RunMemo;
}

/**
 * Runs that match, newest first.
 * @throws EverloopError `engine_unreachable`, `invalid_input` for a query that Temporal refuses
 */
export async function* listRuns(
  client: Client,
  filter: RunFilter,
): AsyncGenerator<RunSummary, void, undefined> {
  const runs = client.workflow.list({ query: toQuery(filter) })[Symbol.asyncIterator]();
  for (;;) {
    const next = await translated('', () => runs.next());
    if (next.done) return;
    const { workflowId, runId, memo, startTime, closeTime, status } = next.value;
    const parsed = RunMemo.safeParse(memo?.[memoKey]);
    const recorded = parsed.success ? parsed.data : undefined;
    yield {
      id: workflowId,
      temporalRunId: runId,
      agent: recorded?.agent ?? '',
      title: recorded?.title ?? '',
      status: statusOf(status.name, recorded),
      startedAt: startTime,
      ...(closeTime !== undefined && { closedAt: closeTime }),
      ...(recorded !== undefined && { memo: recorded }),
    };
  }
}

/** The memo is right unless Temporal's own tools closed the run behind its back. */
function statusOf(temporal: string, memo: RunMemo | undefined): RunStatus {
  if (temporal === 'TERMINATED') return 'terminated';
  if (temporal === 'TIMED_OUT') return 'timed_out';
  if (memo?.stop !== undefined) return memo.stop.reason;
  return temporal === 'FAILED' ? 'error' : 'running';
}

function toQuery({ agent, status, query }: RunFilter): string {
  const parts = [
    `WorkflowType = 'everloopAgentRun'`,
    // A run that went on in a new Temporal run is listed by that one alone.
    `ExecutionStatus != 'ContinuedAsNew'`,
    ...(agent === undefined ? [] : [`${searchAttribute.agent} = ${quoted(agent)}`]),
    ...(status === undefined ? [] : [`${searchAttribute.status} = ${quoted(status)}`]),
    ...(query === undefined ? [] : [`(${query})`]),
  ];
  return parts.join(' AND ');
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
