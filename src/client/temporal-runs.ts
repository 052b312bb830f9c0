/** The Temporal runs that one run consists of: it continues as new again and again under the same id, and may be taken back to an earlier point. */
import type { Client } from '@temporalio/client';
import { EverloopError } from '../everloop-error.ts';
import { isGone } from '../history/is-gone.ts';
import type { Origin } from '../history/told-points.ts';
import { originOf } from '../history/told-points.ts';
import { readHistory } from './read-history.ts';

/** A Temporal run, and what it goes on from. */
export interface TemporalRunLink {
  readonly temporalRunId: string;
  readonly origin?: Origin;
}

/** Id of the newest Temporal run. */
export async function newestTemporalRun(client: Client, runId: string): Promise<string> {
  return (await client.workflow.getHandle(runId).describe()).runId;
}

/** Id of the oldest Temporal run whose history the server still has. */
export async function oldestTemporalRun(client: Client, runId: string): Promise<string> {
  let oldest = await newestTemporalRun(client, runId);
  for (;;) {
    const first = await firstOfChain(client, runId, oldest);
    const origin = first === undefined ? undefined : await originIn(client, runId, first);
    const before = first === undefined ? undefined : previousOf(runId, origin);
    if (first === undefined) {
      for await (const link of backwards(client, runId, oldest)) oldest = link.temporalRunId;
      return oldest;
    }
    if (before === undefined || !(await isThere(client, runId, before))) return first;
    oldest = before;
  }
}

/** The Temporal run that began the chain of those that continued one another, if it is still there. */
async function firstOfChain(
  client: Client,
  runId: string,
  temporalRunId: string,
): Promise<string | undefined> {
  const { raw } = await client.workflow.getHandle(runId, temporalRunId).describe();
  const first = raw.workflowExecutionInfo?.firstRunId ?? '';
  return first !== '' && (await isThere(client, runId, first)) ? first : undefined;
}

/** Ids of the Temporal runs that the server still has, oldest first, those that were left behind included. */
export async function temporalRuns(client: Client, runId: string): Promise<readonly string[]> {
  const links = await Array.fromAsync(backwards(client, runId));
  return links.map(({ temporalRunId }) => temporalRunId).toReversed();
}

/**
 * The Temporal run in which the run went on after that one.
 * @returns undefined when it is the newest
 */
export async function nextTemporalRun(
  client: Client,
  runId: string,
  temporalRunId: string,
): Promise<TemporalRunLink | undefined> {
  let later: TemporalRunLink | undefined;
  const links: TemporalRunLink[] = [];
  for await (const link of backwards(client, runId)) {
    if (link.temporalRunId === temporalRunId) return later;
    links.push(link);
    later = link;
  }
  // A reset has left it behind: its copy goes on from the same one.
  const before = previousOf(runId, await originIn(client, runId, temporalRunId));
  return links.findLast(({ origin }) => previousOf(runId, origin) === before) ?? links[0];
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
  for await (const { temporalRunId } of backwards(client, runId)) {
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

/** In order of time, from the newest back to the oldest that the server still has. */
export async function* backwards(
  client: Client,
  runId: string,
  from?: string,
): AsyncGenerator<TemporalRunLink, void, undefined> {
  let temporalRunId: string | undefined = from ?? (await newestTemporalRun(client, runId));
  while (temporalRunId !== undefined) {
    const origin: Origin | undefined = await originIn(client, runId, temporalRunId);
    yield { temporalRunId, ...(origin !== undefined && { origin }) };
    const previous = previousOf(runId, origin);
    if (previous === undefined || !(await isThere(client, runId, previous))) return;
    temporalRunId = previous;
  }
}

/** The Temporal runs that what the run is now goes back to, newest first: without those that were left behind. */
export async function* lineage(
  client: Client,
  runId: string,
): AsyncGenerator<TemporalRunLink, void, undefined> {
  let temporalRunId: string | undefined = await newestTemporalRun(client, runId);
  while (temporalRunId !== undefined) {
    const origin: Origin | undefined = await originIn(client, runId, temporalRunId);
    yield { temporalRunId, ...(origin !== undefined && { origin }) };
    if (origin === undefined || origin.how === 'forked') return;
    const { temporalRunId: before } = origin.from;
    if (!(await isThere(client, runId, before))) return;
    temporalRunId = before;
  }
}

/** A fork goes on from another run, and has nothing before itself. */
function previousOf(runId: string, origin: Origin | undefined): string | undefined {
  return origin === undefined || origin.how === 'forked' || origin.from.runId !== runId
    ? undefined
    : origin.previous;
}

async function originIn(
  client: Client,
  runId: string,
  temporalRunId: string,
): Promise<Origin | undefined> {
  for await (const event of readHistory(client, { runId, temporalRunId }, { pageSize: 1 })) {
    return event.type === 'started' ? originOf(runId, event.input) : undefined;
  }
  return undefined;
}

async function isThere(client: Client, runId: string, temporalRunId: string): Promise<boolean> {
  try {
    await client.workflow.getHandle(runId, temporalRunId).describe();
    return true;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}
