/** Lists runs through Temporal's visibility. */
import type { Client } from '@temporalio/client';
import { parentAttribute } from '../engine/search-attributes.ts';
import { EverloopError } from '../everloop-error.ts';
import { RunMemo } from '../loop/run-memo.ts';
import type { RunStatus } from '../loop/run-status.ts';
import { isWait } from '../loop/run-status.ts';
import { searchAttribute } from '../loop/search-attributes.ts';
import { memoKey } from '../loop/to-run-memo.ts';
import { translated } from './client-errors.ts';
import { newestTemporalRun } from './temporal-runs.ts';

/** Which runs are listed: those that match all that is said. */
export interface RunFilter {
  readonly agent?: string;
  /** `running`, what it waits for (such as `waiting:approval`, `paused`), or a stop reason. */
  readonly status?: string;
  /** Run id of the parent: its sub-agents alone. */
  readonly parent?: string;
  /** Run id that others were forked from: its forks alone. */
  readonly forkedFrom?: string;
  /** A Temporal visibility query, added with AND. */
  readonly query?: string;
}

/** A run as lists show it. */
export interface RunSummary {
  readonly id: string;
  readonly temporalRunId: string;
  readonly agent: string;
  readonly title: string;
  readonly status: RunStatus;
  readonly startedAt: Date;
  readonly closedAt?: Date;
  /** Run id of the parent, of a sub-agent. */
  readonly parent?: string;
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
  // A run that was taken back has several closed Temporal runs; the newest comes first, if it matches.
  const listed = new Set<string>();
  const mayBeOld = filter.status !== undefined || filter.query !== undefined;
  for (;;) {
    const next = await translated('', () => runs.next());
    if (next.done) return;
    const { workflowId, runId, memo, startTime, closeTime, status } = next.value;
    const parent = next.value.typedSearchAttributes.get(parentAttribute);
    if (listed.has(workflowId)) continue;
    listed.add(workflowId);
    if (mayBeOld && closeTime !== undefined && !(await isNewest(client, workflowId, runId))) {
      continue;
    }
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
      ...(parent !== undefined && { parent }),
      ...(recorded !== undefined && { memo: recorded }),
    };
  }
}

/** What the run was before it was taken back may match where it does not itself. */
async function isNewest(client: Client, id: string, temporalRunId: string): Promise<boolean> {
  try {
    return (await translated(id, () => newestTemporalRun(client, id))) === temporalRunId;
  } catch (error) {
    // Gone since it was listed.
    if (error instanceof EverloopError && error.code === 'not_found') return false;
    throw error;
  }
}

/** The memo is right unless Temporal's own tools closed the run behind its back. */
function statusOf(temporal: string, memo: RunMemo | undefined): RunStatus {
  if (temporal === 'TERMINATED') return 'terminated';
  if (temporal === 'TIMED_OUT') return 'timed_out';
  if (memo?.stop !== undefined) return memo.stop.reason;
  if (temporal === 'FAILED') return 'error';
  return isWait(memo?.status) ? memo.status : 'running';
}

function toQuery({ agent, status, parent, forkedFrom, query }: RunFilter): string {
  const parts = [
    `WorkflowType = 'everloopAgentRun'`,
    // A run that went on in a new Temporal run is listed by that one alone.
    `ExecutionStatus != 'ContinuedAsNew'`,
    ...(agent === undefined ? [] : [`${searchAttribute.agent} = ${quoted(agent)}`]),
    ...(status === undefined ? [] : [`${searchAttribute.status} = ${quoted(status)}`]),
    ...(parent === undefined ? [] : [`${searchAttribute.parent} = ${quoted(parent)}`]),
    ...(forkedFrom === undefined ? [] : [`${searchAttribute.forkedFrom} = ${quoted(forkedFrom)}`]),
    ...(query === undefined ? [] : [`(${query})`]),
  ];
  return parts.join(' AND ');
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
