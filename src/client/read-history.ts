/** Reads the history of a Temporal run, event by event, as it is or as it grows. */
import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { payloadDecoder } from '../engine/payload-decoder.ts';
import { decodeEvent } from '../history/decode-event.ts';
import type { RecordedEvent } from '../history/recorded-event.ts';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** Whose history is read. */
export interface HistoryOf {
  readonly runId: string;
  /** One Temporal run of it; the newest when absent. */
  readonly temporalRunId?: string;
}

/** `pageSize`: events asked for at once; the server's own limit when absent. */
export interface ReadOptions {
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
  readonly pageSize?: number;
}

/** The events as the server keeps them. With `follow`, waits for further ones until the run is closed. */
export async function* readRawHistory(
  client: Client,
  { runId, temporalRunId }: HistoryOf,
  { follow = false, signal, pageSize }: ReadOptions = {},
): AsyncGenerator<HistoryEvent, void, undefined> {
  let nextPageToken: Uint8Array | null | undefined;
  do {
    signal?.throwIfAborted();
    const page = (): ReturnType<typeof client.workflowService.getWorkflowExecutionHistory> =>
      client.workflowService.getWorkflowExecutionHistory({
        namespace: client.options.namespace,
        execution: { workflowId: runId, runId: temporalRunId ?? null },
        waitNewEvent: follow,
        ...(pageSize !== undefined && { maximumPageSize: pageSize }),
        ...(nextPageToken && { nextPageToken }),
      });
    const response = await (signal === undefined
      ? page()
      : client.connection.withAbortSignal(signal, page));
    yield* response.history?.events ?? [];
    nextPageToken = response.nextPageToken;
  } while (nextPageToken && nextPageToken.length > 0);
}

/** The events of a run, decoded. */
export async function* readHistory(
  client: Client,
  run: HistoryOf,
  options: ReadOptions = {},
): AsyncGenerator<RecordedEvent, void, undefined> {
  const decode = payloadDecoder(client.options.loadedDataConverter);
  for await (const event of readRawHistory(client, run, options)) {
    const recorded = await decodeEvent(event, decode);
    if (recorded !== undefined) yield recorded;
  }
}
