/** A model behind OpenAI's Chat Completions API, or a server that speaks it. */
import OpenAI from 'openai';
import { ChatError } from '../../chat/chat-error.ts';
import type { CallOptions, LanguageModel } from '../../chat/language-model.ts';
import { languageModel } from '../../chat/language-model.ts';
import { ModelError } from '../../chat/model-error.ts';
import type { Request } from '../../chat/request.ts';
import type { ResponseDelta } from '../../chat/response-delta.ts';
import { assertSequencing } from './assert-sequencing.ts';
import { endOfStream } from './end-of-stream.ts';
import { createIdleTimeout } from './idle-timeout.ts';
import { initialReadState, isFinished, readChunk } from './read-chunk.ts';
import { toModelError } from './to-model-error.ts';
import { toRequestBody } from './to-request-body.ts';

/** Where the model is and how to reach it. */
export interface OpenAiChatModelOptions {
  /** The provider's name of the model; a request may name another. */
  readonly model: string;
  readonly apiKey: string;
  /** Ends in `/v1`. Default: OpenAI's own. */
  readonly baseURL?: string;
  readonly fetch?: typeof globalThis.fetch;
  /**
   * How long the provider may stay silent, before the first chunk and between any two. Default 60,000:
   * longer than the pauses of a working stream, short enough that a dead one is noticed.
   */
  readonly idleTimeoutMs?: number;
}

const openAiBaseUrl = 'https://api.openai.com/v1';

/** The idle timeout is the only clock, so the SDK's own waits as long as a timer can. */
const noSdkTimeoutMs = 2_147_483_647;

/**
 * Streams always; `generate` is the stream put together. Retries are left to the caller.
 *
 * Contract: throws ChatError before any I/O for a request this API cannot express, the reason of the
 * caller's signal when that aborts, and ModelError for everything else.
 */
export function openAiChatModel(options: OpenAiChatModelOptions): LanguageModel {
  const { model, idleTimeoutMs = 60_000 } = options;
  // What is not given is set to a fixed value, because the SDK would ask the environment.
  const client = new OpenAI({
    apiKey: options.apiKey,
    baseURL: options.baseURL ?? openAiBaseUrl,
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    logLevel: 'off',
    maxRetries: 0,
    timeout: noSdkTimeoutMs,
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
  });

  async function* stream(
    request: Request,
    { signal, report: tell }: CallOptions,
  ): AsyncIterable<ResponseDelta> {
    assertSequencing(request.messages);
    const { body, report } = toRequestBody(request, model);
    for (const entry of report) tell?.(entry);

    const idle = createIdleTimeout(idleTimeoutMs, signal);
    let state = initialReadState;
    let responded = false;
    let outputStarted = false;
    try {
      idle.arm();
      try {
        const { data, response } = await client.chat.completions
          .create(body, { signal: idle.signal })
          .withResponse();
        responded = true;
        assertEventStream(response);
        for await (const chunk of data) {
          idle.disarm();
          const read = readChunk(state, chunk);
          state = read.state;
          if (read.delta !== undefined) {
            outputStarted ||= read.delta.parts !== undefined;
            yield read.delta;
          }
          idle.arm();
        }
      } catch (error) {
        // After the finish reason the answer is whole; only usage may be missing.
        if (signal.aborted || !isFinished(state)) throw error;
      } finally {
        idle.disarm();
      }
      // The SDK's iterator also ends without a word on abort and when the connection closes early.
      signal.throwIfAborted();
      if (idle.expired && !isFinished(state)) throw silent(idleTimeoutMs);
      const end = endOfStream(state);
      for (const entry of end.report) tell?.(entry);
      yield end.delta;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ChatError) throw error;
      const cause = idle.expired && !(error instanceof ModelError) ? silent(idleTimeoutMs) : error;
      throw toModelError(cause, { responded, outputStarted, now: Date.now() });
    } finally {
      idle.dispose();
    }
  }

  return languageModel({ name: `openai-chat:${model}`, stream });
}

/** A proxy's page, or an answer that ignored `stream`, would read as an empty stream. */
function assertEventStream(response: Response): void {
  const type = response.headers.get('content-type');
  if (type === null || type.includes('text/event-stream')) return;
  const requestId = response.headers.get('x-request-id') ?? undefined;
  throw new ModelError(
    `the provider answered with ${type} instead of an event stream; is the base URL right?`,
    // A wrong address stays wrong: trying again would only hide it.
    { kind: 'invalid_response', retryable: false, status: response.status, requestId },
  );
}

function silent(idleTimeoutMs: number): ModelError {
  return new ModelError(`the provider sent nothing for ${idleTimeoutMs} ms`, { kind: 'timeout' });
}
