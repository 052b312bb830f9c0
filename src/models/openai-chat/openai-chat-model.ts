/** A model behind OpenAI's Chat Completions API, or a server that speaks it. */
import { fitToModel } from '../../chat/fit-to-model.ts';
import type { LanguageModel } from '../../chat/language-model.ts';
import type { AdapterOptions } from '../adapter/adapter-model.ts';
import { adapterModel } from '../adapter/adapter-model.ts';
import { createOpenAiClient, openAiErrors } from '../openai/openai-client.ts';
import { endOfStream } from './end-of-stream.ts';
import { initialReadState, isFinished, readChunk } from './read-chunk.ts';
import { toRequestBody } from './to-request-body.ts';

/** An image from a tool is shown in a user message after the results. */
const capabilities = { toolResultMedia: 'none' } as const;

/** Where the model is and how to reach it; the base URL ends in `/v1`. */
export type OpenAiChatModelOptions = AdapterOptions;

/**
 * Streams always; `generate` is the stream put together. Retries are left to the caller.
 *
 * Contract: throws ChatError before any I/O for a request this API cannot express, the reason of the
 * caller's signal when that aborts, and ModelError for everything else.
 */
export function openAiChatModel(options: OpenAiChatModelOptions): LanguageModel {
  const client = createOpenAiClient(options);
  return adapterModel(
    {
      provider: 'openai-chat',
      // The API pairs results by id within the messages that follow a call, in any order.
      tolerated: new Set(['reused_call_id', 'result_order']),
      sdkErrors: openAiErrors,
      toBody: (request) => {
        const { messages, report } = fitToModel(request.messages, capabilities);
        const written = toRequestBody({ ...request, messages: [...messages] }, options.model);
        return { body: written.body, report: [...report, ...written.report] };
      },
      open: async (body, signal) => {
        const { data, response } = await client.chat.completions
          .create(body, { signal })
          .withResponse();
        return { events: data, response };
      },
      initialState: initialReadState,
      read: readChunk,
      isFinished,
      // Usage follows the finish reason, and `[DONE]` ends the iteration.
      isComplete: () => false,
      end: endOfStream,
    },
    options,
  );
}
