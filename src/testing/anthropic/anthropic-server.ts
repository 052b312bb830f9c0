/** A local server that speaks the Anthropic Messages API from a script, and can fail in every way a real one does. */
import type { ProviderServer, ProviderServerOptions } from '../provider-server/provider-server.ts';
import { startProviderServer } from '../provider-server/provider-server.ts';
import { anthropicFormat } from './anthropic-format.ts';

/** What the server answers and how. */
export type AnthropicServerOptions = ProviderServerOptions;

/** A running server; its URL has no `/v1`, as the vendor's SDK wants it. */
export type AnthropicServer = ProviderServer;

/**
 * Starts the server on 127.0.0.1. Reasoning is sent as signed thinking, and a refusal as the explanation of
 * one. The arguments of calls are exact in streams only: in one piece they are a JSON object.
 */
export function startAnthropicServer(options: AnthropicServerOptions): Promise<AnthropicServer> {
  return startProviderServer(anthropicFormat, options);
}
