/** The provider that the demo's Worker speaks to: a scripted one, or the real API behind a door that keeps a log. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Providers } from '../models/model-registry.ts';
import { startAnthropicServer } from '../testing/anthropic/anthropic-server.ts';
import { startOpenAiChatServer } from '../testing/openai-chat/openai-chat-server.ts';
import { startOpenAiResponsesServer } from '../testing/openai-responses/openai-responses-server.ts';
import { createCallLog } from '../testing/provider-server/call-log.ts';
import type {
  ProviderServer,
  ProviderServerOptions,
} from '../testing/provider-server/provider-server.ts';
import { demoScript } from './demo-script.ts';

/** A provider on this machine whose log the demo reads. */
export interface DemoProvider {
  readonly url: string;
  /** Variable whose key is missing, so that the model is scripted. */
  readonly lacks?: string;
  /** Body of each request, by the index that the log has for it. */
  bodies(): readonly string[];
  close(): Promise<void>;
}

/** What the demo must know of a provider's API. */
interface DemoApi {
  /** Variable with the key. */
  readonly keyVariable: string;
  readonly realAddress: string;
  /** Path of the address that the provider's SDK is given; its requests go below it. */
  readonly basePath: string;
  keyHeader(apiKey: string): Readonly<Record<string, string>>;
  startServer(options: ProviderServerOptions): Promise<ProviderServer>;
}

const openAi = {
  keyVariable: 'OPENAI_API_KEY',
  realAddress: 'https://api.openai.com/v1',
  basePath: '/v1',
  keyHeader: (apiKey: string) => ({ authorization: `Bearer ${apiKey}` }),
};

const apis: Readonly<Record<keyof Providers, DemoApi>> = {
  openai: { ...openAi, startServer: startOpenAiResponsesServer },
  'openai-chat': { ...openAi, startServer: startOpenAiChatServer },
  anthropic: {
    keyVariable: 'ANTHROPIC_API_KEY',
    realAddress: 'https://api.anthropic.com',
    basePath: '',
    keyHeader: (apiKey) => ({ 'x-api-key': apiKey }),
    startServer: startAnthropicServer,
  },
};

/** The provider that a model's name begins with. The name is known to be a good one. */
export function demoProviderOf(model: string): keyof Providers {
  const [name = ''] = model.split(':');
  if (isProvider(name)) return name;
  throw new Error(`model ${model} names no known provider`);
}

function isProvider(name: string): name is keyof Providers {
  return Object.hasOwn(apis, name);
}

/** Slow enough that an answer can be seen coming, and be killed on its way. */
const chunkDelayMs = 10;

/** Starts the scripted provider of the model, or with a key the door to the real one. The key stays in this process. */
export async function startDemoProvider(
  model: string,
  providers: Providers,
  logFile: string,
): Promise<DemoProvider> {
  const name = demoProviderOf(model);
  const api = apis[name];
  const { apiKey, baseURL } = providers[name] ?? {};
  if (apiKey !== undefined) return await startDoor(api, apiKey, baseURL, logFile);
  const server = await api.startServer({ script: demoScript, logFile, chunkDelayMs });
  return {
    url: server.url,
    lacks: api.keyVariable,
    bodies: () => server.calls().map(({ body }) => body),
    close: server.close,
  };
}

async function startDoor(
  { basePath, keyHeader, realAddress }: DemoApi,
  apiKey: string,
  baseURL: string | undefined,
  logFile: string,
): Promise<DemoProvider> {
  const target = { address: (baseURL ?? realAddress).replace(/\/$/, ''), basePath };
  const log = createCallLog(logFile);
  const server = createServer((request, response) => {
    pass(log, { ...target, key: keyHeader(apiKey) }, request, response).catch(() =>
      response.destroy(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${basePath}`,
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
  {
    address,
    basePath,
    key,
  }: { address: string; basePath: string; key: Readonly<Record<string, string>> },
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
  const path = (request.url ?? '').slice(basePath.length);
  const version = request.headers['anthropic-version'];
  const answer = await fetch(`${address}${path}`, {
    method: request.method ?? 'POST',
    headers: {
      ...key,
      'content-type': 'application/json',
      ...(typeof version === 'string' && { 'anthropic-version': version }),
    },
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
