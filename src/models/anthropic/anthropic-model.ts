/** A model behind Anthropic's Messages API, or a server that speaks it. */
import type { LanguageModel } from '../../chat/language-model.ts';
import type { AdapterOptions } from '../adapter/adapter-model.ts';
import { adapterModel } from '../adapter/adapter-model.ts';
import { anthropicErrors, createPostMessages } from './anthropic-client.ts';
import { endOfStream } from './end-of-stream.ts';
import { writeJson } from './json-source.ts';
import { initialReadState, isComplete, isFinished, readEvent } from './read-event.ts';
import { toRequestBody } from './to-request-body.ts';

/** Where the model is and how to reach it; the base URL has no `/v1`. */
export type AnthropicModelOptions = AdapterOptions;

/**
 * Streams always; `generate` is the stream put together. Retries are left to the caller.
 *
 * Contract: throws ChatError before any I/O for a request this API cannot express, the reason of the
 * caller's signal when that aborts, and ModelError for everything else.
 */
export function anthropicModel(options: AnthropicModelOptions): LanguageModel {
  const post = createPostMessages(options);
  return adapterModel(
    {
      provider: 'anthropic',
      // Ids are made unique on their way out; the API pairs results by id in any order.
      tolerated: new Set(['reused_call_id', 'result_order']),
      sdkErrors: anthropicErrors,
      toBody: (request) => toRequestBody(request, options.model),
      open: (body, signal) => post(writeJson(body), signal),
      initialState: initialReadState,
      read: readEvent,
      isFinished,
      isComplete,
      end: endOfStream,
    },
    options,
  );
}
