/** Writes the messages of a request as input items of the Responses API. */
import type {
  EasyInputMessage,
  ResponseInputContent,
  ResponseInputItem,
} from 'openai/resources/responses/responses';
import type { Message } from '../../chat/message.ts';
import type { ReportEntry } from '../../chat/report.ts';
import { textOf, toolOutputText } from '../../chat/text-of.ts';
import type { ToolResult } from '../../chat/tool-result.ts';
import { reportCitations } from '../adapter/report-citations.ts';
import { toCallId } from './call-id.ts';
import { toAssistantItems } from './to-assistant-items.ts';
import { toWireMedia } from './to-wire-media.ts';

const noCitations = 'the Responses API takes citations only on texts of the model';

/**
 * Adds to `report` what stays behind.
 * @throws ChatError for a part that the API cannot express
 */
export function toInputItems(
  messages: readonly Message[],
  report: ReportEntry[],
): ResponseInputItem[] {
  return messages.flatMap((message, index) => toItems(message, `messages[${index}]`, report));
}

function toItems(message: Message, path: string, report: ReportEntry[]): ResponseInputItem[] {
  if (message.role === 'assistant') return toAssistantItems(message, path, report);
  reportCitations(message.parts, `${path}.parts`, noCitations, report);
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: textOf(message) }];
    case 'user':
      return [{ role: 'user', content: userContent(message, path) }];
    case 'tool':
      return message.parts.flatMap((part, at) =>
        part.kind === 'tool_result'
          ? [toOutputItem(part.toolResult, `${path}.parts[${at}].toolResult`, report)]
          : [],
      );
  }
}

type UserContent = EasyInputMessage['content'];

/** One text is sent as a string, which every compatible server understands; anything more as parts. */
function userContent(message: Message, path: string): UserContent {
  const [first] = message.parts;
  if (message.parts.length === 1 && first?.kind === 'text') return first.text;
  return message.parts.flatMap((part, at): ResponseInputContent[] => {
    if (part.kind === 'text') return [{ type: 'input_text', text: part.text }];
    if (part.kind !== 'media') return [];
    return [toWireMedia(part.media, `${path}.parts[${at}].media`, 'invalid_part')];
  });
}

/** The API has no error flag, so the text says it. */
const errorPrefix = 'error: ';

type OutputItem = Extract<ResponseInputItem, { type: 'function_call_output' }>;

function toOutputItem(result: ToolResult, path: string, report: ReportEntry[]): OutputItem {
  const prefix = result.isError === true ? errorPrefix : '';
  if (result.isError === true) {
    report.push({
      severity: 'defaulted',
      path: `${path}.isError`,
      reason: 'the Responses API has no error flag; the output begins with "error: "',
    });
  }
  return {
    type: 'function_call_output',
    call_id: toCallId(result.id),
    output: toOutput(result, prefix, path, report),
  };
}

/** The texts of the output; its details as JSON text where there is no content; `''` for an empty output. */
function toOutput(
  { output }: ToolResult,
  prefix: string,
  path: string,
  report: ReportEntry[],
): OutputItem['output'] {
  const content = output.content ?? [];
  reportCitations(content, `${path}.output.content`, noCitations, report);
  const text = toolOutputText(output);
  if (text !== undefined) return prefix + text;
  return [
    ...(prefix === '' ? [] : [{ type: 'input_text' as const, text: prefix }]),
    ...content.map((item, at) =>
      item.kind === 'text'
        ? { type: 'input_text' as const, text: item.text }
        : toWireMedia(
            item.media,
            `${path}.output.content[${at}].media`,
            'invalid_part',
            'invalid_tool_result',
            'invalid_tool_output',
          ),
    ),
  ];
}
