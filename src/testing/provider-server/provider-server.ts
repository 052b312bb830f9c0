/** A local server that speaks a provider's API from a script, and can fail in every way a real one does. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Script } from '../../models/scripted.ts';
import { answerFor } from '../../models/scripted.ts';
import type { RecordedCall } from './call-log.ts';
import { createCallLog } from './call-log.ts';
import type { Misbehaviour } from './misbehaviour.ts';
import { performPlan } from './perform-plan.ts';
import type { ResponsePlan } from './response-plan.ts';
import { planFailure, planJson, planStream, planWhole } from './response-plan.ts';
import { scriptedMisbehaviour } from './scripted-misbehaviour.ts';
import type { WireFormat, WireRequest } from './wire-format.ts';

/** What the server answers and how. */
export interface ProviderServerOptions {
  readonly script: Script;
  /** Default: a free one. */
  readonly port?: number;
  /** Asked once for each call; undefined lets the call succeed. */
  readonly misbehave?: (call: Pick<RecordedCall, 'index' | 'body'>) => Misbehaviour | undefined;
  /** A file to which each event of a call is appended as one line of JSON (`CallLogLine`) when it happens. */
  readonly logFile?: string;
  /** Pause between two events of a stream. Default 0. */
  readonly chunkDelayMs?: number;
  /** Where given, every other key gets a 401. */
  readonly apiKey?: string;
  /** Where given, every other model gets a 404. */
  readonly models?: readonly string[];
}

/** A running server. */
export interface ProviderServer {
  /** The base URL for clients, as the provider's own SDK wants it. */
  readonly url: string;
  /** Every call so far, oldest first, as it stands now. */
  calls(): RecordedCall[];
  /** Breaks off what is in flight and stops listening. */
  close(): Promise<void>;
}

/** Starts a server of that format on 127.0.0.1. */
export async function startProviderServer(
  format: WireFormat,
  options: ProviderServerOptions,
): Promise<ProviderServer> {
  const log = createCallLog(options.logFile);
  let closing = false;

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    if (request.method !== 'POST' || path !== format.path) {
      const message = `Unknown request URL: ${request.method} ${path}`;
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(format.errorBody(404, { message })));
      return;
    }
    const body = await text(request);
    const call = log.received(body, request.headers);
    const closed = new AbortController();
    response.once('finish', () => call.ended('finished'));
    response.once('close', () => {
      call.ended(closing ? 'cut' : 'closedByClient');
      closed.abort();
    });
    const received = { index: call.index, body };
    const plan = await planCall(format, options, request, received, closed.signal);
    await performPlan(plan, call, response, format.requestIdHeader, closed.signal);
  };

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${format.basePath}`,
    calls: log.calls,
    close: () =>
      new Promise((resolve, reject) => {
        closing = true;
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        server.closeAllConnections();
      }),
  };
}

async function planCall(
  format: WireFormat,
  options: ProviderServerOptions,
  { headers }: IncomingMessage,
  call: Pick<RecordedCall, 'index' | 'body'>,
  closed: AbortSignal,
): Promise<ResponsePlan> {
  if (options.apiKey !== undefined && format.keyIn(headers) !== options.apiKey) {
    return planJson(401, format.errorBody(401, { message: 'Incorrect API key provided.' }));
  }
  try {
    const wire = format.readRequest(call.body);
    if (options.models !== undefined && !options.models.includes(wire.model)) {
      const message = `The model \`${wire.model}\` does not exist or you do not have access to it.`;
      return planJson(404, format.errorBody(404, { message }));
    }
    return await planAnswer(format, options, wire, call, closed);
  } catch (error) {
    // A body that cannot be read, or a script that has run out: no other try would change that.
    return planJson(400, format.errorBody(400, { message: String(error) }));
  }
}

async function planAnswer(
  format: WireFormat,
  options: ProviderServerOptions,
  wire: WireRequest,
  call: Pick<RecordedCall, 'index' | 'body'>,
  closed: AbortSignal,
): Promise<ResponsePlan> {
  const asked = options.misbehave?.(call);
  const failure = planFailure(format, asked);
  if (failure !== undefined) return failure;
  const scripted = await answerFor(options.script, wire.request);
  await scripted.waitFor?.(closed);
  const answer = wire.answer(scripted, `${call.index} ${call.body}`);
  const misbehaviour = asked ?? scriptedMisbehaviour(format, scripted, answer);
  return (
    planFailure(format, misbehaviour) ??
    (wire.stream
      ? planStream(format, answer, misbehaviour, options.chunkDelayMs ?? 0)
      : planWhole(format, answer, misbehaviour))
  );
}
