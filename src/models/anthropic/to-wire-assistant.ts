/** Writes an assistant message as the blocks it was made of. */
import type {
  ContentBlockParam,
  TextBlockParam,
  ToolUseBlockParam,
} from '@anthropic-ai/sdk/resources/messages';
import type { Message } from '../../chat/message.ts';
import type { ToolCallPart } from '../../chat/part.ts';
import type { ReportEntry } from '../../chat/report.ts';
import type { TextPart } from '../../chat/text-part.ts';
import { isBlank } from '../../chat/white-space.ts';
import { membersOf } from '../adapter/members-of.ts';
import { notExpressible } from '../adapter/not-expressible.ts';
import { JsonSource, writeJson } from './json-source.ts';
import { toOpaqueBlock } from './opaque-reasoning.ts';
import { citationsKey } from './read-citation.ts';
import { toWireInput } from './to-wire-input.ts';
import type { WireCallIds } from './wire-call-ids.ts';

type AssistantBlock = ContentBlockParam | JsonSource;

/**
 * One block for each part, in order; what Anthropic issued itself goes back exactly as it came.
 *
 * Adds to `report` what stays behind: reasoning of others, blank text, citations not its own.
 * @param isLast the answer is to go on from here
 * @throws ChatError for media
 */
export function toWireAssistant(
  message: Message,
  path: string,
  isLast: boolean,
  ids: WireCallIds,
  report: ReportEntry[],
): AssistantBlock[] {
  const cited = membersOf(message.metadata?.[citationsKey]) ?? {};
  const blocks = message.parts.flatMap((part, at): AssistantBlock[] => {
    const here = `${path}.parts[${at}]`;
    switch (part.kind) {
      case 'text':
        return toText(part, cited[at], here, report);
      case 'refusal':
        report.push({
          severity: 'defaulted',
          path: here,
          reason: 'Anthropic has no refusal block; it is sent as text',
        });
        return toText({ kind: 'text', text: part.text }, undefined, here, report);
      case 'reasoning': {
        const block = toOpaqueBlock(part);
        if (block !== undefined) return [block];
        report.push({
          severity: 'omitted',
          path: here,
          reason: 'Anthropic takes only reasoning that it has signed itself',
        });
        return [];
      }
      case 'tool_call':
        return [toToolUse(part, `${here}.toolCall.arguments`, ids, report)];
      default:
        throw notExpressible(
          here,
          'Anthropic takes no media in assistant messages',
          'invalid_message',
          'invalid_part',
        );
    }
  });
  return isLast ? withoutTrailingSpace(blocks, path, report) : blocks;
}

function toText(
  { text, citations = [] }: TextPart,
  own: unknown,
  path: string,
  report: ReportEntry[],
): TextBlockParam[] | [JsonSource] {
  if (isBlank(text)) {
    report.push({ severity: 'omitted', path, reason: 'Anthropic takes no blank text' });
    return [];
  }
  // Its citations need members that the protocol does not have, so they go back as they came.
  if (Array.isArray(own)) {
    return [new JsonSource(JSON.stringify({ type: 'text', text, citations: own }))];
  }
  if (citations.length > 0) {
    const reason = 'Anthropic takes only citations that it has made itself';
    report.push({ severity: 'omitted', path: `${path}.citations`, reason });
  }
  return [{ type: 'text', text }];
}

function toToolUse(
  { toolCall, metadata = {} }: ToolCallPart,
  path: string,
  ids: WireCallIds,
  report: ReportEntry[],
): ToolUseBlockParam | JsonSource {
  const toolset = metadata['anthropic/toolset_name'];
  const toolsetName = typeof toolset === 'string' ? toolset : undefined;
  const caller = metadata['anthropic/caller'];
  const block = {
    type: 'tool_use' as const,
    id: ids.forCall(toolCall.id, toolsetName),
    name: toolCall.name,
    input: toWireInput(toolCall.arguments, path, report),
    ...(toolsetName === undefined ? {} : { toolset_name: toolsetName }),
  };
  return caller === undefined ? block : new JsonSource(writeJson({ ...block, caller }));
}

/** The API refuses to go on after trailing white space. */
function withoutTrailingSpace(
  blocks: AssistantBlock[],
  path: string,
  report: ReportEntry[],
): AssistantBlock[] {
  const last = blocks.at(-1);
  if (last === undefined || last instanceof JsonSource || last.type !== 'text') return blocks;
  const text = last.text.trimEnd();
  if (text === last.text) return blocks;
  report.push({
    severity: 'defaulted',
    path,
    reason: 'Anthropic takes no white space at the end of the last message; it is cut off',
  });
  return [...blocks.slice(0, -1), { ...last, text }];
}
