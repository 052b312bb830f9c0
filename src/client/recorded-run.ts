/** Reads a run as it was recorded, all its Temporal runs that the server still has. */
import type { Client } from '@temporalio/client';
import type { RecordedPart, RecordedRun } from '../replay/recorded-run.ts';
import { readRawHistory } from './read-history.ts';
import { temporalRuns } from './temporal-runs.ts';

/** @throws what the server answers when there is no such run */
export async function readRecordedRun(client: Client, runId: string): Promise<RecordedRun> {
  const parts: RecordedPart[] = [];
  for (const temporalRunId of await temporalRuns(client, runId)) {
    const events = await Array.fromAsync(readRawHistory(client, { runId, temporalRunId }));
    parts.push({ temporalRunId, events });
  }
  return { runId, parts };
}
