/** Writes a request in the words of the Chat Completions API. Pure; the same request gives the same bytes. */
import type { ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions';
import type { Options } from '../../chat/options.ts';
import type { OutputFormat } from '../../chat/output-format.ts';
import type { ReportEntry } from '../../chat/report.ts';
import type { Request } from '../../chat/request.ts';
import type { ToolChoice } from '../../chat/tool-choice.ts';
import type { ToolDefinition } from '../../chat/tool-definition.ts';
import { notExpressible } from '../adapter/not-expressible.ts';
import { withExtension } from '../adapter/request-extension.ts';
import { toOpenAiEffort, toOpenAiFormatName } from '../openai/openai-options.ts';
import { requestExtension } from './request-extension.ts';
import { toWireMessages } from './to-wire-messages.ts';

/** The body of one streamed call. */
export type RequestBody = ChatCompletionCreateParamsStreaming;

/** What is sent, and what of the request is not in it. */
interface RequestBodyResult {
  readonly body: RequestBody;
  readonly report: readonly ReportEntry[];
}

/**
 * Model, tools and messages come first and in this order: as long as they only grow at the end, the bytes
 * before stay the same, and with them the provider's prompt cache.
 * @param request a valid request
 * @param model used where the request names none
 * @throws ChatError for a populated field that this API cannot express; its path names the field
 */
export function toRequestBody(request: Request, model: string): RequestBodyResult {
  const options = request.options ?? {};
  const report: ReportEntry[] = [];
  const body: RequestBody = {
    model: options.model || model,
    ...(request.tools === undefined || request.tools.length === 0
      ? {}
      : { tools: request.tools.map(toWireTool) }),
    messages: toWireMessages(request.messages, report),
    ...(request.toolChoice === undefined ? {} : toWireToolChoice(request.toolChoice)),
    ...toWireOptions(options),
    stream: true,
    stream_options: { include_usage: true },
  };
  return { body: withExtension(body, options.extensions, requestExtension), report };
}

type WireTool = NonNullable<RequestBody['tools']>[number];

function toWireTool({ name, description, inputSchema }: ToolDefinition): WireTool {
  return {
    type: 'function',
    function: {
      name,
      ...(description === undefined ? {} : { description }),
      parameters: inputSchema,
    },
  };
}

function toWireToolChoice(
  choice: ToolChoice,
): Pick<RequestBody, 'tool_choice' | 'parallel_tool_calls'> {
  if (choice.mode === 'none') return { tool_choice: 'none' };
  return {
    tool_choice:
      choice.mode === 'named' ? { type: 'function', function: { name: choice.name } } : choice.mode,
    ...(choice.parallelism === undefined
      ? {}
      : { parallel_tool_calls: choice.parallelism === 'allow' }),
  };
}

/** The API takes at most four stop sequences. */
const maxStops = 4;

function toWireOptions(options: Options): Partial<RequestBody> {
  if (options.topK !== undefined) {
    throw notExpressible('options.topK', 'Chat Completions has no top_k', 'invalid_options');
  }
  const stop = options.stop ?? [];
  if (stop.length > maxStops) {
    throw notExpressible(
      'options.stop',
      `Chat Completions takes at most ${maxStops} stop sequences`,
      'invalid_options',
    );
  }
  return {
    ...(options.outputFormat === undefined
      ? {}
      : { response_format: toResponseFormat(options.outputFormat) }),
    ...(options.maxOutputTokens === undefined
      ? {}
      : { max_completion_tokens: options.maxOutputTokens }),
    ...(options.temperature === undefined ? {} : { temperature: options.temperature }),
    ...(options.topP === undefined ? {} : { top_p: options.topP }),
    ...(options.frequencyPenalty === undefined
      ? {}
      : { frequency_penalty: options.frequencyPenalty }),
    ...(options.presencePenalty === undefined ? {} : { presence_penalty: options.presencePenalty }),
    ...(stop.length === 0 ? {} : { stop: [...stop] }),
    ...(options.reasoningEffort
      ? { reasoning_effort: toOpenAiEffort(options.reasoningEffort, 'Chat Completions') }
      : {}),
  };
}

function toResponseFormat(format: OutputFormat): NonNullable<RequestBody['response_format']> {
  if (format.type === 'text') return { type: 'text' };
  if (format.type === 'json') return { type: 'json_object' };
  return {
    type: 'json_schema',
    json_schema: {
      name: toOpenAiFormatName(format.name, 'Chat Completions'),
      ...(format.description === undefined ? {} : { description: format.description }),
      schema: format.schema,
      // Strict mode accepts only a subset of JSON Schema; the caller's schema is sent as it is.
      strict: false,
    },
  };
}
