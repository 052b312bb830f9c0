/** The vendor's SDK, set up to do nothing on its own: no retries, no clock, nothing from the environment. */
import OpenAI, { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai';
import type { AdapterOptions } from '../adapter/adapter-model.ts';
import { noSdkTimeoutMs } from '../adapter/adapter-model.ts';
import type { SdkErrors } from '../adapter/to-model-error.ts';

/** The SDK's error classes. */
export const openAiErrors: SdkErrors = {
  api: APIError,
  connection: APIConnectionError,
  timeout: APIConnectionTimeoutError,
};

const openAiBaseUrl = 'https://api.openai.com/v1';

/** A client for OpenAI's API, or a server that speaks it. The base URL ends in `/v1`. */
export function createOpenAiClient({ apiKey, baseURL, fetch }: AdapterOptions): OpenAI {
  // What is not given is set to a fixed value, because the SDK would ask the environment.
  return new OpenAI({
    apiKey,
    baseURL: baseURL ?? openAiBaseUrl,
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    logLevel: 'off',
    maxRetries: 0,
    timeout: noSdkTimeoutMs,
    ...(fetch === undefined ? {} : { fetch }),
  });
}
