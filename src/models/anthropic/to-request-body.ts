/** Writes a request in the words of the Messages API. Pure; the same request gives the same bytes. */
import type {
  MessageCreateParamsStreaming,
  OutputConfig,
  Tool,
} from '@anthropic-ai/sdk/resources/messages';
import type { JsonObject } from '../../chat/json.ts';
import type { ReportEntry } from '../../chat/report.ts';
import type { Request } from '../../chat/request.ts';
import type { ToolChoice } from '../../chat/tool-choice.ts';
import type { ToolDefinition } from '../../chat/tool-definition.ts';
import { withExtension } from '../adapter/request-extension.ts';
import { requestExtension, takeProviderTools } from './request-extension.ts';
import type { WireMessage } from './to-wire-messages.ts';
import { toWireMessages, toWireSystem } from './to-wire-messages.ts';
import { toWireOptions } from './to-wire-options.ts';

/** The body of one streamed call; `writeJson` makes the text of it that is sent. */
type RequestBody = Omit<MessageCreateParamsStreaming, 'messages' | 'tools'> & {
  readonly messages: WireMessage[];
  readonly tools?: readonly (Tool | JsonObject)[];
};

/** What is sent, and what of the request is not in it. */
interface RequestBodyResult {
  readonly body: RequestBody;
  readonly report: readonly ReportEntry[];
}

/**
 * With tools or instructions the provider is asked to keep what it has read until the next call
 * (`cache_control`), because a run sends the same beginning again and again; the extension
 * `anthropic/request` can say otherwise.
 *
 * @param request a valid request
 * @param model used where the request names none
 * @throws ChatError for a populated field that this API cannot express; its path names the field
 */
export function toRequestBody(request: Request, model: string): RequestBodyResult {
  const { options = {}, toolChoice } = request;
  const report: ReportEntry[] = [];
  const provided = takeProviderTools(options.extensions);
  const tools = [...(request.tools ?? []).map(toWireTool), ...provided.tools];
  const system = toWireSystem(request.messages);
  const { effort, format, ...limits } = toWireOptions(options, report);
  const outputConfig: OutputConfig = {
    ...(effort === undefined ? {} : { effort }),
    ...(format === undefined ? {} : { format }),
  };
  const body: RequestBody = {
    model: options.model || model,
    ...limits,
    ...(tools.length === 0 ? {} : { tools }),
    ...(toolChoice === undefined ? {} : { tool_choice: toWireToolChoice(toolChoice) }),
    ...(system.length === 0 ? {} : { system }),
    ...(tools.length === 0 && system.length === 0 ? {} : { cache_control: { type: 'ephemeral' } }),
    messages: toWireMessages(request.messages, report),
    ...(Object.keys(outputConfig).length === 0 ? {} : { output_config: outputConfig }),
    stream: true,
  };
  return { body: withExtension(body, provided.extensions, requestExtension), report };
}

function toWireTool({ name, description, inputSchema }: ToolDefinition): Tool {
  return {
    name,
    ...(description === undefined ? {} : { description }),
    input_schema: { ...inputSchema, type: 'object' },
  };
}

function toWireToolChoice(choice: ToolChoice): NonNullable<RequestBody['tool_choice']> {
  if (choice.mode === 'none') return { type: 'none' };
  const parallel =
    choice.parallelism === undefined
      ? {}
      : { disable_parallel_tool_use: choice.parallelism === 'single' };
  if (choice.mode === 'named') return { type: 'tool', name: choice.name, ...parallel };
  return { type: choice.mode === 'required' ? 'any' : 'auto', ...parallel };
}
