/** A model behind OpenAI's Responses API, or a server that speaks it. */
import type { LanguageModel } from '../../chat/language-model.ts';
import type { AdapterOptions } from '../adapter/adapter-model.ts';
import { adapterModel } from '../adapter/adapter-model.ts';
import { createOpenAiClient, openAiErrors } from '../openai/openai-client.ts';
import { endOfStream } from './end-of-stream.ts';
import { isFinished, readEvent } from './read-event.ts';
import { initialReadState } from './read-state.ts';
import { toRequestBody } from './to-request-body.ts';

/** Where the model is and how to reach it; the base URL ends in `/v1`. */
export type OpenAiResponsesModelOptions = AdapterOptions;

/**
 * Streams always; `generate` is the stream put together. Retries are left to the caller. Nothing is kept at
 * the provider: each request holds the whole conversation.
 *
 * Contract: throws ChatError before any I/O for a request this API cannot express, the reason of the
 * caller's signal when that aborts, and ModelError for everything else.
 */
export function openAiResponsesModel(options: OpenAiResponsesModelOptions): LanguageModel {
  const client = createOpenAiClient(options);
  return adapterModel(
    {
      provider: 'openai',
      // The API pairs results by id within the items that follow a call, in any order.
      tolerated: new Set(['reused_call_id', 'result_order']),
      sdkErrors: openAiErrors,
      toBody: (request) => toRequestBody(request, options.model),
      open: async (body, signal) => {
        const { data, response } = await client.responses.create(body, { signal }).withResponse();
        return { events: data, response };
      },
      initialState: initialReadState,
      read: readEvent,
      isFinished,
      isComplete: isFinished,
      end: endOfStream,
    },
    options,
  );
}
