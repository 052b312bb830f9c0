/** A local server that speaks the Chat Completions API from a script, and can fail in every way a real one does. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Script } from '../models/scripted.ts';
import { answerFor } from '../models/scripted.ts';
import type { OpenCall, RecordedCall } from './openai-chat-call-log.ts';
import { createCallLog } from './openai-chat-call-log.ts';
import type { Misbehaviour } from './openai-chat-misbehaviour.ts';
import { wireError } from './openai-chat-misbehaviour.ts';
import type { ResponsePlan } from './openai-chat-plan.ts';
import { planCompletion, planFailure, planJson, planStream } from './openai-chat-plan.ts';
import { scriptedMisbehaviour } from './openai-chat-scripted-failure.ts';
import { toWireAnswer } from './openai-chat-wire-answer.ts';
import type { WireRequest } from './openai-chat-wire-request.ts';
import { readWireRequest } from './openai-chat-wire-request.ts';

/** What the server answers and how. */
export interface OpenAiChatServerOptions {
  readonly script: Script;
  /** Default: a free one. */
  readonly port?: number;
  /** Asked once for each call; undefined lets the call succeed. */
  readonly misbehave?: (call: Pick<RecordedCall, 'index' | 'body'>) => Misbehaviour | undefined;
  /** A file to which each event of a call is appended as one line of JSON (`CallLogLine`) when it happens. */
  readonly logFile?: string;
  /** Pause between two events of a stream. Default 0. */
  readonly chunkDelayMs?: number;
  /** Where given, every other bearer key gets a 401. */
  readonly apiKey?: string;
  /** Where given, every other model gets a 404. */
  readonly models?: readonly string[];
}

/** A running server. */
export interface OpenAiChatServer {
  /** The base URL for clients; ends in `/v1`. */
  readonly url: string;
  /** Every call so far, oldest first, as it stands now. */
  calls(): RecordedCall[];
  /** Breaks off what is in flight and stops listening. */
  close(): Promise<void>;
}

/** Starts the server on 127.0.0.1. */
export async function startOpenAiChatServer(
  options: OpenAiChatServerOptions,
): Promise<OpenAiChatServer> {
  const log = createCallLog(options.logFile);
  let closing = false;

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    if (request.method !== 'POST' || path !== '/v1/chat/completions') {
      const error = wireError(404, { message: `Unknown request URL: ${request.method} ${path}` });
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(error));
      return;
    }
    const body = await bodyText(request);
    const call = log.received(body, request.headers);
    const closed = new AbortController();
    response.once('finish', () => call.ended('finished'));
    response.once('close', () => {
      call.ended(closing ? 'cut' : 'closedByClient');
      closed.abort();
    });
    const plan = await planCall(options, request, { index: call.index, body }, closed.signal);
    await perform(plan, call, response, closed.signal);
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
    url: `http://127.0.0.1:${port}/v1`,
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
  options: OpenAiChatServerOptions,
  { headers }: IncomingMessage,
  call: Pick<RecordedCall, 'index' | 'body'>,
  closed: AbortSignal,
): Promise<ResponsePlan> {
  if (options.apiKey !== undefined && headers.authorization !== `Bearer ${options.apiKey}`) {
    return planJson(401, wireError(401, { message: 'Incorrect API key provided.' }));
  }
  try {
    const wire = readWireRequest(call.body);
    if (options.models !== undefined && !options.models.includes(wire.model)) {
      const message = `The model \`${wire.model}\` does not exist or you do not have access to it.`;
      return planJson(404, wireError(404, { message }));
    }
    return await planAnswer(options, wire, call, closed);
  } catch (error) {
    // A body that cannot be read, or a script that has run out: no other try would change that.
    return planJson(400, wireError(400, { message: String(error) }));
  }
}

async function planAnswer(
  options: OpenAiChatServerOptions,
  wire: WireRequest,
  call: Pick<RecordedCall, 'index' | 'body'>,
  closed: AbortSignal,
): Promise<ResponsePlan> {
  const asked = options.misbehave?.(call);
  const failure = planFailure(asked);
  if (failure !== undefined) return failure;
  const scripted = await answerFor(options.script, wire.request);
  await scripted.waitFor?.(closed);
  const answer = toWireAnswer(scripted, wire, `${call.index} ${call.body}`);
  const misbehaviour = asked ?? scriptedMisbehaviour(scripted, answer);
  return (
    planFailure(misbehaviour) ??
    (wire.stream
      ? planStream(answer, misbehaviour, options.chunkDelayMs ?? 0)
      : planCompletion(answer, misbehaviour))
  );
}

/** Writes what was planned; stops where the client goes away. */
async function perform(
  plan: ResponsePlan,
  call: OpenCall,
  response: ServerResponse,
  closed: AbortSignal,
): Promise<void> {
  try {
    await pause(plan.beforeMs, closed);
    if (plan.head !== undefined) {
      const requestId = `req_${String(call.index).padStart(24, '0')}`;
      response.writeHead(plan.head.status, { 'x-request-id': requestId, ...plan.head.headers });
      response.flushHeaders();
    }
    for (const [position, piece] of plan.pieces.entries()) {
      if (position > 0) await pause(plan.betweenMs, closed);
      const isEnd = plan.ending === 'end' && position === plan.pieces.length - 1;
      // Clients leave at `[DONE]`: sent together with the end of the body, they cannot leave before it.
      await write(response, piece, isEnd);
      if (position < plan.deltas) call.sent();
    }
  } catch (error) {
    if (closed.aborted) return;
    throw error;
  }
  if (plan.ending === 'end' && plan.pieces.length === 0) response.end();
  if (plan.ending === 'destroy') {
    call.ended('cut');
    response.socket?.destroy();
  }
}

async function pause(ms: number, closed: AbortSignal): Promise<void> {
  if (ms > 0) await delay(ms, undefined, { signal: closed });
}

/** Settles when the piece is with the operating system, so that a cut comes after it. */
function write(response: ServerResponse, piece: string, isEnd: boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error?: Error | null) => (error == null ? resolve() : reject(error));
    if (isEnd) response.end(piece, done);
    else response.write(piece, done);
  });
}

async function bodyText(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}
