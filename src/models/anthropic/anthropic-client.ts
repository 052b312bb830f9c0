/** The vendor's SDK, set up to do nothing on its own: no retries, no clock, no traces, no other credentials. */
import Anthropic, {
  APIConnectionError,
  APIConnectionTimeoutError,
  APIError,
} from '@anthropic-ai/sdk';
import type { AdapterOptions } from '../adapter/adapter-model.ts';
import { noSdkTimeoutMs } from '../adapter/adapter-model.ts';
import type { SdkErrors } from '../adapter/to-model-error.ts';
import { serverEvents } from './server-events.ts';

/** The SDK's error classes. */
export const anthropicErrors: SdkErrors = {
  api: APIError,
  connection: APIConnectionError,
  timeout: APIConnectionTimeoutError,
};

const anthropicBaseUrl = 'https://api.anthropic.com';

/** Sends the text of a body to the Messages API, and hands out the events of the answer. */
export type PostMessages = (
  body: string,
  signal: AbortSignal,
) => Promise<{ readonly events: AsyncIterable<unknown>; readonly response: Response }>;

/** A client of the API, or a server that speaks it. The base URL has no `/v1`. */
export function createPostMessages({ apiKey, baseURL, fetch }: AdapterOptions): PostMessages {
  // What is not given is set to a fixed value, because the SDK would ask the environment.
  const client = new Anthropic({
    apiKey,
    baseURL: baseURL ?? anthropicBaseUrl,
    webhookKey: null,
    logLevel: 'off',
    openTelemetry: false,
    maxRetries: 0,
    timeout: noSdkTimeoutMs,
    ...(fetch === undefined ? {} : { fetch }),
  });
  return async (body, signal) => {
    // The SDK's own method takes an object and would write it anew; the text must stay as it is.
    const response = await client
      .post('/v1/messages', { body, headers: { 'content-type': 'application/json' }, signal })
      .asResponse();
    return { events: serverEvents(response), response };
  };
}
