/** Writes the messages of a request as Chat Completions messages. */
import type { Message } from '../../chat/message.ts';
import type { Part } from '../../chat/part.ts';
import type { ReportEntry } from '../../chat/report.ts';
import { textOf } from '../../chat/text-of.ts';
import type { ToolResult } from '../../chat/tool-result.ts';
import { isBlank } from '../../chat/white-space.ts';
import { notExpressible } from '../adapter/not-expressible.ts';
import { reportCitations } from '../adapter/report-citations.ts';
import type { RequestBody } from './to-request-body.ts';
import type { WireContentPart } from './to-wire-media.ts';
import { toWireAudioId, toWireMedia } from './to-wire-media.ts';

const noCitations = 'Chat Completions takes no citations';

type WireMessage = RequestBody['messages'][number];
type WireAssistantMessage = Extract<WireMessage, { role: 'assistant' }>;
type WireToolCall = NonNullable<WireAssistantMessage['tool_calls']>[number];

/**
 * Adds to `report` what stays behind.
 * @throws ChatError for a part that the API cannot express
 */
export function toWireMessages(messages: readonly Message[], report: ReportEntry[]): WireMessage[] {
  return messages.flatMap((message, index) => toWireMessage(message, `messages[${index}]`, report));
}

function toWireMessage(message: Message, path: string, report: ReportEntry[]): WireMessage[] {
  reportCitations(message.parts, `${path}.parts`, noCitations, report);
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: textOf(message) }];
    case 'user':
      return [{ role: 'user', content: userContent(message, path) }];
    case 'assistant':
      return assistantMessage(message, path, report);
    case 'tool':
      return message.parts.flatMap((part, at) =>
        part.kind === 'tool_result'
          ? [toolMessage(part.toolResult, `${path}.parts[${at}].toolResult`, report)]
          : [],
      );
  }
}

/** One text is sent as a string, which every compatible server understands; anything more as parts. */
function userContent(message: Message, path: string): string | WireContentPart[] {
  const [first] = message.parts;
  if (message.parts.length === 1 && first?.kind === 'text') return first.text;
  return message.parts.flatMap((part, at): WireContentPart[] => {
    if (part.kind === 'text') return [{ type: 'text', text: part.text }];
    if (part.kind === 'media') return [toWireMedia(part.media, `${path}.parts[${at}].media`)];
    return [];
  });
}

/** A message of which nothing can be sent (reasoning alone) is left out: the API wants content or calls. */
function assistantMessage(message: Message, path: string, report: ReportEntry[]): WireMessage[] {
  const content = textOf(message);
  const refusals: string[] = [];
  const calls: WireToolCall[] = [];
  const audioIds: string[] = [];
  message.parts.forEach((part, at) => {
    const here = `${path}.parts[${at}]`;
    if (part.kind === 'tool_call') calls.push(toWireToolCall(part));
    if (part.kind === 'refusal') refusals.push(part.text);
    if (part.kind === 'media') audioIds.push(toWireAudioId(part.media, `${here}.media`));
    if (part.kind === 'reasoning') {
      report.push({
        severity: 'omitted',
        path: here,
        reason: 'Chat Completions takes no reasoning back',
      });
    }
    if (refusals.length > 1 || audioIds.length > 1) {
      throw notExpressible(
        here,
        `Chat Completions takes one ${part.kind} a message`,
        'invalid_message',
        'invalid_part',
      );
    }
  });
  const [refusal] = refusals;
  const [audioId] = audioIds;
  const wire: WireAssistantMessage = {
    role: 'assistant',
    ...(content === '' ? {} : { content }),
    ...(refusal === undefined ? {} : { refusal }),
    ...(audioId === undefined ? {} : { audio: { id: audioId } }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return Object.keys(wire).length === 1 ? [] : [wire];
}

/** Blank arguments are sent as `{}`: the API wants a JSON object. All others go back as they came. */
function toWireToolCall({ toolCall }: Extract<Part, { kind: 'tool_call' }>): WireToolCall {
  const text = toolCall.arguments ?? '';
  return {
    id: toolCall.id,
    type: 'function',
    function: { name: toolCall.name, arguments: isBlank(text) ? '{}' : text },
  };
}

/** The API has no error flag, so the text says it. */
const errorPrefix = 'error: ';

function toolMessage(result: ToolResult, path: string, report: ReportEntry[]): WireMessage {
  const text = outputText(result, path, report);
  if (result.isError === true) {
    report.push({
      severity: 'defaulted',
      path: `${path}.isError`,
      reason: 'Chat Completions has no error flag; the text begins with "error: "',
    });
  }
  return {
    role: 'tool',
    tool_call_id: result.id,
    content: result.isError === true ? errorPrefix + text : text,
  };
}

/** The texts of the output; its details as JSON text where there are none; `''` for an empty output. */
function outputText({ output }: ToolResult, path: string, report: ReportEntry[]): string {
  const content = output.content ?? [];
  reportCitations(content, `${path}.output.content`, noCitations, report);
  if (content.length === 0)
    return output.details === undefined ? '' : JSON.stringify(output.details);
  return content
    .map((item, at) => {
      const here = `${path}.output.content[${at}]`;
      if (item.kind === 'media') {
        throw notExpressible(
          here,
          'Chat Completions takes no media from tools',
          'invalid_message',
          'invalid_part',
          'invalid_tool_result',
          'invalid_tool_output',
        );
      }
      return item.text;
    })
    .join('');
}
