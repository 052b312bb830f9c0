/** A local server that speaks the Chat Completions API from a script, and can fail in every way a real one does. */
import type { ProviderServer, ProviderServerOptions } from '../provider-server/provider-server.ts';
import { startProviderServer } from '../provider-server/provider-server.ts';
import { openAiChatFormat } from './openai-chat-format.ts';

/** What the server answers and how. */
export type OpenAiChatServerOptions = ProviderServerOptions;

/** A running server; its URL ends in `/v1`. */
export type OpenAiChatServer = ProviderServer;

/** Starts the server on 127.0.0.1. */
export function startOpenAiChatServer(options: OpenAiChatServerOptions): Promise<OpenAiChatServer> {
  return startProviderServer(openAiChatFormat, options);
}
