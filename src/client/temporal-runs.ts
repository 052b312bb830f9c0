/** The Temporal runs that one run consists of: it continues as new again and again under the same id. */
import type { Client } from '@temporalio/client';
import { isGrpcServiceError } from '@temporalio/client';
import { EverloopError } from '../everloop-error.ts';
import { readRawHistory } from './read-history.ts';

/** gRPC status codes of a history that is not there any more: INVALID_ARGUMENT, NOT_FOUND. */
const goneCodes = [3, 5];

/** Id of the newest Temporal run. */
export async function newestTemporalRun(client: Client, runId: string): Promise<string> {
  return (await client.workflow.getHandle(runId).describe()).runId;
}

/** Id of the oldest Temporal run whose history the server still has. */
export async function oldestTemporalRun(client: Client, runId: string): Promise<string> {
  const { raw } = await client.workflow.getHandle(runId).describe();
  const first = raw.workflowExecutionInfo?.firstRunId ?? '';
  if (first !== '' && (await isThere(client, runId, first))) return first;
  let oldest = '';
  for await (const temporalRunId of backwards(client, runId)) oldest = temporalRunId;
  return oldest;
}

/** Ids of the Temporal runs that the server still has, oldest first. */
export async function temporalRuns(client: Client, runId: string): Promise<readonly string[]> {
  return (await Array.fromAsync(backwards(client, runId))).toReversed();
}

/**
 * The Temporal run that an event id names.
 * @throws EverloopError `invalid_input` when the run has no such part
 */
export async function temporalRunOf(
  client: Client,
  runId: string,
  { temporalRun }: { readonly temporalRun: string },
): Promise<string> {
  for await (const temporalRunId of backwards(client, runId)) {
    if (temporalRunId.endsWith(temporalRun)) return temporalRunId;
  }
  // One that a reset has left behind is on nobody's way back.
  const query = `WorkflowId = '${runId.replaceAll("'", "\\'")}'`;
  for await (const listed of client.workflow.list({ query })) {
    if (listed.runId.endsWith(temporalRun)) return listed.runId;
  }
  throw new EverloopError('invalid_input', `run ${runId} has no event in a part ${temporalRun}`, {
    hint: 'the id is of another run, or older than what the server keeps: read the events from the first on',
  });
}

/** From the newest back to the oldest that the server still has. */
async function* backwards(client: Client, runId: string): AsyncGenerator<string, void, undefined> {
  let temporalRunId: string | undefined = await newestTemporalRun(client, runId);
  while (temporalRunId !== undefined) {
    yield temporalRunId;
    const previous: string | undefined = await previousOf(client, runId, temporalRunId);
    if (previous === undefined || !(await isThere(client, runId, previous))) return;
    temporalRunId = previous;
  }
}

async function previousOf(
  client: Client,
  runId: string,
  temporalRunId: string,
): Promise<string | undefined> {
  for await (const event of readRawHistory(client, { runId, temporalRunId }, { pageSize: 1 })) {
    return event.workflowExecutionStartedEventAttributes?.continuedExecutionRunId || undefined;
  }
  return undefined;
}

async function isThere(client: Client, runId: string, temporalRunId: string): Promise<boolean> {
  try {
    await client.workflow.getHandle(runId, temporalRunId).describe();
    return true;
  } catch (error) {
    const cause = error instanceof Error && !isGrpcServiceError(error) ? error.cause : error;
    if (isGone(error) || (isGrpcServiceError(cause) && goneCodes.includes(cause.code)))
      return false;
    throw error;
  }
}

function isGone(error: unknown): boolean {
  return error instanceof Error && error.name === 'WorkflowNotFoundError';
}
