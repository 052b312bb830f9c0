/** A local server that speaks the Responses API from a script, and can fail in every way a real one does. */
import type { ProviderServer, ProviderServerOptions } from '../provider-server/provider-server.ts';
import { startProviderServer } from '../provider-server/provider-server.ts';
import { openAiResponsesFormat } from './openai-responses-format.ts';

/** What the server answers and how. */
export type OpenAiResponsesServerOptions = ProviderServerOptions;

/** A running server; its URL ends in `/v1`. */
export type OpenAiResponsesServer = ProviderServer;

/** Starts the server on 127.0.0.1. */
export function startOpenAiResponsesServer(
  options: OpenAiResponsesServerOptions,
): Promise<OpenAiResponsesServer> {
  return startProviderServer(openAiResponsesFormat, options);
}
