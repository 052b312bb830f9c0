/** Asks a server for all that it still knows, and finds the blobs that are named there. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { isGrpcServiceError } from '@temporalio/client';
import { payloadDecoder } from '../engine/payload-decoder.ts';
import { EverloopError } from '../everloop-error.ts';
import { translated } from './client-errors.ts';
import type { DecodePayloads } from './named-in-history.ts';
import { namedIn } from './named-in-history.ts';
import { readRawHistory } from './read-history.ts';

/** Histories that are read at once: a few calls on their way keep the server busy and leave it to others too. */
const atOnce = 8;
/** gRPC status code NOT_FOUND: its retention has passed since it was listed. */
const notFound = 5;
/** gRPC status code UNIMPLEMENTED: a server without Schedules has none. */
const unimplemented = 12;
/** WORKFLOW_EXECUTION_STATUS_RUNNING of Temporal's API. */
const running = 1;

/** A Temporal run, of a run or of any other Workflow: those may hold results of runs. */
interface Execution {
  readonly workflowId: string;
  readonly temporalRunId: string;
  readonly isOpen: boolean;
}

/** How long a server may take to list what was started; measured: tens of milliseconds, a second where it searches with Elasticsearch. */
const listingLagMs = 2_000;

/** What was found in a namespace. */
export interface NamedBlobs {
  readonly hashes: ReadonlySet<string>;
  /** Temporal runs whose histories were read. */
  readonly histories: number;
}

/**
 * The known blobs that anything in the client's namespace names: every history that is still there, of open and of
 * closed Workflows of all types, what their open Activities have last told, and the Schedules.
 * @param options.told hears how many histories were read so far
 * @throws EverloopError `engine_unreachable`, `not_found` when there is no such namespace, `configuration` when something there cannot be read; any other error of the server
 */
export async function namedByServer(
  client: Client,
  known: ReadonlySet<string>,
  options: NamedByServerOptions = {},
): Promise<NamedBlobs> {
  return await translated('', () => searchServer(client, known, options));
}

/** `lagMs`: how long the server may take to list what was started; 2 s when absent. */
export interface NamedByServerOptions {
  readonly told?: (histories: number) => void;
  readonly lagMs?: number;
}

async function searchServer(
  client: Client,
  known: ReadonlySet<string>,
  { told = () => {}, lagMs = listingLagMs }: NamedByServerOptions,
): Promise<NamedBlobs> {
  await assertNamespace(client);
  const decode = payloadDecoder(client.options.loadedDataConverter);
  const search: Search = { client, known, decode, hashes: new Set() };
  const seen = new Set<string>();
  // What was started while the others were read may name what it took from them, before their retention passed.
  const begunAt = Date.now();
  for (let round = 1; round <= 2; round += 1) {
    if (round > 1) await delay(Math.max(0, begunAt + lagMs - Date.now()));
    const executions = listAll(client);
    const worker = async () => {
      for (;;) {
        const next = await executions.next();
        if (next.done) return;
        if (seen.has(next.value.temporalRunId)) continue;
        seen.add(next.value.temporalRunId);
        await searchExecution(search, next.value);
        told(seen.size);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
  }
  await searchSchedules(search);
  return { hashes: search.hashes, histories: seen.size };
}

/** Of a namespace that is not there, everything would look as if its retention had passed. */
async function assertNamespace(client: Client): Promise<void> {
  const { namespace } = client.options;
  try {
    await client.workflowService.describeNamespace({ namespace });
  } catch (error) {
    if (codeOf(error) !== notFound) throw error;
    throw new EverloopError('not_found', `there is no namespace ${namespace}`, {
      hint: 'name the namespaces whose runs use the blob store, and the server that has them',
      cause: error,
    });
  }
}

interface Search {
  readonly client: Client;
  readonly known: ReadonlySet<string>;
  readonly decode: DecodePayloads;
  readonly hashes: Set<string>;
}

async function* listAll(client: Client): AsyncGenerator<Execution, void, undefined> {
  let nextPageToken: Uint8Array | null | undefined;
  do {
    const page = await client.workflowService.listWorkflowExecutions({
      namespace: client.options.namespace,
      query: '',
      ...(nextPageToken && { nextPageToken }),
    });
    for (const { execution, status } of page.executions) {
      const { workflowId, runId } = execution ?? {};
      if (!workflowId || !runId) throw new Error('the server lists a Workflow without an id');
      yield { workflowId, temporalRunId: runId, isOpen: status === running };
    }
    ({ nextPageToken } = page);
  } while (nextPageToken && nextPageToken.length > 0);
}

async function searchExecution(search: Search, execution: Execution): Promise<void> {
  const { client } = search;
  const { workflowId, temporalRunId, isOpen } = execution;
  const where = `Workflow ${workflowId}`;
  const describe = () =>
    client.workflowService.describeWorkflowExecution({
      namespace: client.options.namespace,
      execution: { workflowId, runId: temporalRunId },
    });
  try {
    const events = readRawHistory(client, { runId: workflowId, temporalRunId });
    for await (const event of events) await add(search, event, where);
    if (isOpen) await add(search, await describe(), where);
  } catch (error) {
    // A Workflow that is there and whose history is not would be one that nobody knows the needs of.
    if (codeOf(error) !== notFound || !(await isForgotten(describe)))
      throw toReadError(error, where);
  }
}

async function isForgotten(describe: () => Promise<unknown>): Promise<boolean> {
  return await describe().then(
    () => false,
    (error: unknown) => codeOf(error) === notFound,
  );
}

function toReadError(error: unknown, where: string): unknown {
  if (codeOf(error) !== notFound) return error;
  return new EverloopError('configuration', `the history of ${where} is not there`, {
    hint: 'what it names is not known, so nothing may be removed: see whether the server lost data',
    cause: error,
  });
}

/** Their Workflows are started with inputs that may name media. */
async function searchSchedules(search: Search): Promise<void> {
  const { client } = search;
  const { namespace } = client.options;
  await unless(unimplemented, async () => {
    let nextPageToken: Uint8Array | null | undefined;
    do {
      const page = await client.workflowService.listSchedules({
        namespace,
        ...(nextPageToken && { nextPageToken }),
      });
      for (const { scheduleId } of page.schedules) {
        await unless(notFound, async () => {
          const schedule = await client.workflowService.describeSchedule({
            namespace,
            scheduleId: scheduleId ?? null,
          });
          await add(search, schedule, `Schedule ${scheduleId}`);
        });
      }
      ({ nextPageToken } = page);
    } while (nextPageToken && nextPageToken.length > 0);
  });
}

async function add({ known, decode, hashes }: Search, answer: unknown, where: string) {
  for await (const hash of namedIn(answer, known, decode, where)) hashes.add(hash);
}

/** Does `work`; an error with that gRPC status code is none. */
async function unless(code: number, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (codeOf(error) !== code) throw error;
  }
}

function codeOf(error: unknown): number | undefined {
  if (isGrpcServiceError(error)) return error.code;
  const cause = error instanceof Error ? error.cause : undefined;
  return isGrpcServiceError(cause) ? cause.code : undefined;
}
