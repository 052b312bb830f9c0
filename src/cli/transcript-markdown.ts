/** A transcript as a Markdown document. */
import type { Media } from '../chat/media.ts';
import type { Part } from '../chat/part.ts';
import type { ToolOutput } from '../chat/tool-output.ts';
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import type { RunExport } from './export-format.ts';
import { marksOf } from './format-transcript.ts';
import { codeSpan, escaped, fenced, isWebAddress, quoted } from './markdown.ts';
import { mediaLabel } from './media-label.ts';

/** The document: what the run is and how it ended, then its messages in order. */
export function toMarkdown(run: RunExport): string {
  const { runId, agent, title, status, result } = run;
  const head = [
    `# ${title === '' ? codeSpan(runId) : escaped(title)}`,
    [
      `- Run: ${codeSpan(runId)}`,
      `- Agent: ${codeSpan(agent)}`,
      `- Status: ${status}`,
      ...(result === undefined ? [] : [`- Ended: ${escaped(result.ended)}`]),
    ].join('\n'),
  ];
  const messages = run.messages.flatMap((message, index) => toSection(message, index + 1));
  return `${[...head, ...messages].join('\n\n')}\n`;
}

function toSection(message: TranscriptMessage, position: number): readonly string[] {
  const { role, createdAt, parts } = message;
  const heading = `## ${position} · ${role}${marksOf(message)}`;
  return [heading, `*${createdAt}*`, ...parts.flatMap(toBlocks)];
}

function toBlocks(part: Part): readonly string[] {
  switch (part.kind) {
    case 'text':
      return [quoted(part.text)];
    case 'refusal':
      return ['**Refusal**', quoted(part.text)];
    case 'reasoning': {
      const { text = '' } = part;
      const content = text === '' ? '*The provider keeps it to itself.*' : quoted(text);
      return ['<details>\n<summary>Reasoning</summary>', content, '</details>'];
    }
    case 'media':
      return [toPlaceholder(part.media)];
    case 'tool_call': {
      const { id, name, arguments: input } = part.toolCall;
      return [`**Call** ${codeSpan(name)} (${codeSpan(id)})`, fenced(laidOut(input), 'json')];
    }
    case 'tool_result': {
      const { id, name, output, isError } = part.toolResult;
      const kind = isError === true ? 'Error' : 'Result';
      return [`**${kind}** of ${codeSpan(name)} (${codeSpan(id)})`, ...outputBlocks(output)];
    }
  }
}

function outputBlocks({ content = [], details }: ToolOutput): readonly string[] {
  const blocks = content.map((item) =>
    item.kind === 'text' ? fenced(item.text) : toPlaceholder(item.media),
  );
  const data = details === undefined ? [] : [fenced(JSON.stringify(details, undefined, 2), 'json')];
  return blocks.length + data.length === 0 ? ['*(empty)*'] : [...blocks, ...data];
}

function toPlaceholder(media: Media): string {
  const { source, mime, name } = media;
  if (source.kind !== 'uri' || !isWebAddress(source.uri)) return codeSpan(mediaLabel(media));
  return `[${escaped(name === undefined ? mime : `${mime} ${name}`)}](<${source.uri}>)`;
}

/** Over several lines where that changes nothing but white space; else exactly as the model wrote it. */
function laidOut(input: string | undefined): string {
  if (input === undefined || input === '') return '{}';
  try {
    const value: unknown = JSON.parse(input);
    // Numbers too large, members given twice: what would not be the same when read again stays as it is.
    return JSON.stringify(value) === input ? JSON.stringify(value, undefined, 2) : input;
  } catch {
    return input;
  }
}
