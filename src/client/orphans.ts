/** Finds sub-agents that nobody waits for any more. */
import type { Client } from '@temporalio/client';
import { EverloopError } from '../everloop-error.ts';
import { searchAttribute } from '../loop/search-attributes.ts';
import { translated } from './client-errors.ts';
import type { RunSummary } from './list-runs.ts';
import { listRuns } from './list-runs.ts';

/** An open sub-agent whose parent has ended, or is not there any longer. */
export interface Orphan extends RunSummary {
  readonly parent: string;
  /** How the parent ended, in Temporal's words; undefined when the server has nothing of it. */
  readonly parentStatus?: string;
}

/**
 * Open sub-agents whose parent does not wait for them, newest first. The server ends the sub-agents of a run with it;
 * these were missed, by a reset or by a server that lost its way.
 * @throws EverloopError `engine_unreachable`
 */
export async function* findOrphans(client: Client): AsyncGenerator<Orphan, void, undefined> {
  const query = `${searchAttribute.parent} IS NOT NULL AND ExecutionStatus = 'Running'`;
  for await (const run of listRuns(client, { query })) {
    const { parent } = run;
    if (parent === undefined) continue;
    const parentStatus = await statusOf(client, parent);
    if (parentStatus === 'RUNNING') continue;
    yield { ...run, parent, ...(parentStatus !== undefined && { parentStatus }) };
  }
}

async function statusOf(client: Client, id: string): Promise<string | undefined> {
  try {
    const { status } = await translated(id, () => client.workflow.getHandle(id).describe());
    return status.name;
  } catch (error) {
    if (error instanceof EverloopError && error.code === 'not_found') return undefined;
    throw error;
  }
}
