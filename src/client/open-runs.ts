/** Reads of every open run which agent and which build it is of. */
import type { Client } from '@temporalio/client';
import { EverloopError } from '../everloop-error.ts';
import { RunProjection } from '../history/run-projection.ts';
import type { UpgradeCandidate } from '../replay/check-upgrade.ts';
import { translated } from './client-errors.ts';
import type { RunSummary } from './list-runs.ts';
import { listRuns } from './list-runs.ts';
import { readHistory } from './read-history.ts';

/** Runs that are asked about at once: a few calls on their way keep the server busy and leave it to others too. */
const atOnce = 8;
/** Events of a page: a run records its agent with its first Workflow task. */
const pageSize = 10;

/** Which open runs; `told` hears how many are known so far. */
export interface OpenRunsOptions {
  /** A Temporal visibility query. */
  readonly query?: string;
  readonly told?: (count: number) => void;
}

/**
 * All open runs, or those that match, oldest first.
 * @throws EverloopError `engine_unreachable`, `invalid_input` for a query that Temporal refuses
 */
export async function openRuns(
  client: Client,
  { query, told = () => {} }: OpenRunsOptions = {},
): Promise<readonly UpgradeCandidate[]> {
  const runs: UpgradeCandidate[] = [];
  const isOpen = `ExecutionStatus = 'Running'`;
  const filter = { query: query === undefined ? isOpen : `${isOpen} AND (${query})` };
  const listed = listRuns(client, filter);
  const worker = async () => {
    for (;;) {
      const next = await listed.next();
      if (next.done) return;
      const run = await candidateOf(client, next.value);
      if (run !== undefined) runs.push(run);
      told(runs.length);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return runs.toSorted((one, other) => one.startedAt - other.startedAt);
}

/** Undefined when it is there no longer. */
async function candidateOf(
  client: Client,
  summary: RunSummary,
): Promise<UpgradeCandidate | undefined> {
  const { id, temporalRunId, startedAt } = summary;
  try {
    return await translated(id, async () => {
      const [build, projection] = await Promise.all([
        buildOf(client, id, temporalRunId),
        beginningOf(client, id, temporalRunId),
      ]);
      const { start, agent } = projection.state ?? {};
      return {
        id,
        agent: start?.agent ?? summary.agent,
        ...(agent !== undefined && { agentHash: agent.hash }),
        ...(build !== undefined && { build }),
        startedAt: startedAt.getTime(),
      };
    });
  } catch (error) {
    if (error instanceof EverloopError && error.code === 'not_found') return undefined;
    throw error;
  }
}

async function buildOf(
  client: Client,
  workflowId: string,
  runId: string,
): Promise<string | undefined> {
  const { workflowExecutionInfo: found } = await client.workflowService.describeWorkflowExecution({
    namespace: client.options.namespace,
    execution: { workflowId, runId },
  });
  const deployed = found?.versioningInfo?.deploymentVersion?.buildId;
  return deployed || found?.mostRecentWorkerVersionStamp?.buildId || undefined;
}

/** The history until the agent is known; what cannot be read is for the replay to tell. */
async function beginningOf(
  client: Client,
  runId: string,
  temporalRunId: string,
): Promise<RunProjection> {
  const projection = new RunProjection(runId);
  const events = readHistory(client, { runId, temporalRunId }, { pageSize });
  for await (const event of events) {
    try {
      projection.add(event);
    } catch {
      break;
    }
    if (projection.state?.agent !== undefined) break;
  }
  return projection;
}
