/** Writes tool results as blocks of a user message. */
import type { ToolResultBlockParam } from '@anthropic-ai/sdk/resources/messages';
import type { Message } from '../../chat/message.ts';
import type { ReportEntry } from '../../chat/report.ts';
import type { ToolOutput } from '../../chat/tool-output.ts';
import type { ToolResult } from '../../chat/tool-result.ts';
import { isBlank } from '../../chat/white-space.ts';
import { toWireMedia } from './to-wire-media.ts';
import type { WireCallIds } from './wire-call-ids.ts';

type ResultContent = Exclude<ToolResultBlockParam['content'], string | undefined>;

/** What an error says that says nothing: the API wants a word. */
const wordlessError = 'The tool failed without a message.';

/** One block for each result; adds to `report` what is put differently. @throws ChatError for media that the API does not take */
export function toWireResults(
  message: Message,
  path: string,
  ids: WireCallIds,
  report: ReportEntry[],
): ToolResultBlockParam[] {
  return message.parts.flatMap((part, at) =>
    part.kind === 'tool_result'
      ? [toBlock(part.toolResult, `${path}.parts[${at}].toolResult`, ids, report)]
      : [],
  );
}

function toBlock(
  { id, output, isError = false }: ToolResult,
  path: string,
  ids: WireCallIds,
  report: ReportEntry[],
): ToolResultBlockParam {
  const content = toContent(output, `${path}.output.content`, report);
  if (isError && content.length === 0) {
    content.push({ type: 'text', text: wordlessError });
    report.push({
      severity: 'defaulted',
      path: `${path}.output`,
      reason: 'Anthropic takes no error without text',
    });
  }
  const toolsetName = ids.toolsetOf(id);
  return {
    type: 'tool_result',
    tool_use_id: ids.forResult(id),
    ...(content.length === 0 ? {} : { content }),
    ...(isError ? { is_error: true } : {}),
    ...(toolsetName === undefined ? {} : { toolset_name: toolsetName }),
  };
}

/** Texts and media; details as JSON text where there is neither. Blank texts are left out: none would be accepted. */
function toContent(
  { content = [], details }: ToolOutput,
  path: string,
  report: ReportEntry[],
): ResultContent {
  if (content.length === 0) {
    return details === undefined ? [] : [{ type: 'text', text: JSON.stringify(details) }];
  }
  return content.flatMap((item, at): ResultContent => {
    const here = `${path}[${at}]`;
    if (item.kind === 'media') return [toWireMedia(item.media, `${here}.media`)];
    if ((item.citations ?? []).length > 0) {
      const reason = 'Anthropic takes no citations from tools';
      report.push({ severity: 'omitted', path: `${here}.citations`, reason });
    }
    if (!isBlank(item.text)) return [{ type: 'text', text: item.text }];
    report.push({ severity: 'omitted', path: here, reason: 'Anthropic takes no blank text' });
    return [];
  });
}
