/** Writes a request in the words of the Responses API. Pure; the same request gives the same bytes. */
import type { ResponseCreateParamsStreaming } from 'openai/resources/responses/responses';
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
import { toInputItems } from './to-input-items.ts';

/** The body of one streamed call. */
type RequestBody = ResponseCreateParamsStreaming;

/** What is sent, and what of the request is not in it. */
interface RequestBodyResult {
  readonly body: RequestBody;
  readonly report: readonly ReportEntry[];
}

/**
 * Model, tools and input come first and in this order: as long as they only grow at the end, the bytes
 * before stay the same, and with them the provider's prompt cache. Nothing is kept at the provider: every
 * request holds the whole conversation, and reasoning comes back encrypted for the next one.
 *
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
    input: toInputItems(request.messages, report),
    ...(request.toolChoice === undefined ? {} : toWireToolChoice(request.toolChoice)),
    ...toWireOptions(options),
    store: false,
    // Some servers send it only when asked.
    include: ['reasoning.encrypted_content'],
    stream: true,
  };
  return { body: withExtension(body, options.extensions, requestExtension), report };
}

type WireTool = NonNullable<RequestBody['tools']>[number];

function toWireTool({ name, description, inputSchema }: ToolDefinition): WireTool {
  return {
    type: 'function',
    name,
    ...(description === undefined ? {} : { description }),
    parameters: inputSchema,
    // Strict mode accepts only a subset of JSON Schema; the caller's schema is sent as it is.
    strict: false,
  };
}

function toWireToolChoice(
  choice: ToolChoice,
): Pick<RequestBody, 'tool_choice' | 'parallel_tool_calls'> {
  if (choice.mode === 'none') return { tool_choice: 'none' };
  return {
    tool_choice: choice.mode === 'named' ? { type: 'function', name: choice.name } : choice.mode,
    ...(choice.parallelism === undefined
      ? {}
      : { parallel_tool_calls: choice.parallelism === 'allow' }),
  };
}

function toWireOptions(options: Options): Partial<RequestBody> {
  const { outputFormat, maxOutputTokens, temperature, topP, reasoningEffort } = options;
  assertNoForeignOptions(options);
  return {
    ...(maxOutputTokens === undefined ? {} : { max_output_tokens: maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(reasoningEffort
      ? { reasoning: { effort: toOpenAiEffort(reasoningEffort, 'the Responses API') } }
      : {}),
    ...(outputFormat === undefined ? {} : { text: { format: toWireFormat(outputFormat) } }),
  };
}

const foreignOptions = {
  topK: 'top_k',
  frequencyPenalty: 'frequency penalty',
  presencePenalty: 'presence penalty',
} as const;

function assertNoForeignOptions(options: Options): void {
  for (const name of ['topK', 'frequencyPenalty', 'presencePenalty'] as const) {
    if (options[name] === undefined) continue;
    const problem = `the Responses API has no ${foreignOptions[name]}`;
    throw notExpressible(`options.${name}`, problem, 'invalid_options');
  }
  // An empty list asks for what the API does anyway.
  if ((options.stop ?? []).length > 0) {
    const problem = 'the Responses API has no stop sequences';
    throw notExpressible('options.stop', problem, 'invalid_options');
  }
}

type WireFormat = NonNullable<NonNullable<RequestBody['text']>['format']>;

function toWireFormat(format: OutputFormat): WireFormat {
  if (format.type === 'text') return { type: 'text' };
  if (format.type === 'json') return { type: 'json_object' };
  return {
    type: 'json_schema',
    name: toOpenAiFormatName(format.name, 'the Responses API'),
    ...(format.description === undefined ? {} : { description: format.description }),
    schema: format.schema,
    strict: false,
  };
}
