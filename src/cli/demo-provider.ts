/** The provider that the demo's Worker speaks to: a scripted one, or the real API behind a door that keeps a log. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ProviderAccess } from '../models/model-registry.ts';
import { startOpenAiChatServer } from '../testing/openai-chat/openai-chat-server.ts';
import { createCallLog } from '../testing/provider-server/call-log.ts';
import { demoScript } from './demo-script.ts';

/** A provider on this machine whose log the demo reads. */
export interface DemoProvider {
  readonly url: string;
  readonly isReal: boolean;
  /** Body of each request, by the index that the log has for it. */
  bodies(): readonly string[];
  close(): Promise<void>;
}

/** Slow enough that an answer can be seen coming, and be killed on its way. */
const chunkDelayMs = 10;
const realAddress = 'https://api.openai.com/v1';

/** Starts the scripted provider, or with a key the door to the real one. The key stays in this process. */
export async function startDemoProvider(
  access: ProviderAccess,
  logFile: string,
): Promise<DemoProvider> {
  if (access.apiKey !== undefined) {
    return await startDoor(access.apiKey, access.baseURL ?? realAddress, logFile);
  }
  const server = await startOpenAiChatServer({ script: demoScript, logFile, chunkDelayMs });
  return {
    url: server.url,
    isReal: false,
    bodies: () => server.calls().map(({ body }) => body),
    close: server.close,
  };
}

async function startDoor(apiKey: string, target: string, logFile: string): Promise<DemoProvider> {
  const log = createCallLog(logFile);
  const server = createServer((request, response) => {
    pass(log, { apiKey, target }, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    isReal: true,
    bodies: () => log.calls().map(({ body }) => body),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Hands a request on and its answer back, piece by piece, as they come. */
async function pass(
  log: ReturnType<typeof createCallLog>,
  { apiKey, target }: { apiKey: string; target: string },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await text(request);
  const call = log.received(body, request.headers);
  const left = new AbortController();
  response.once('finish', () => call.ended('finished'));
  response.once('close', () => {
    call.ended('closedByClient');
    left.abort();
  });
  const path = (request.url ?? '').replace(/^\/v1/, '');
  const answer = await fetch(`${target.replace(/\/$/, '')}${path}`, {
    method: request.method ?? 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body,
    signal: left.signal,
  });
  const type = answer.headers.get('content-type');
  const retryAfter = answer.headers.get('retry-after');
  response.writeHead(answer.status, {
    ...(type !== null && { 'content-type': type }),
    ...(retryAfter !== null && { 'retry-after': retryAfter }),
  });
  for await (const piece of answer.body ?? []) {
    response.write(piece);
    call.sent();
  }
  response.end();
}
