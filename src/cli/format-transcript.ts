/** A transcript as text. */
import type { Part } from '../chat/part.ts';
import { toolOutputText } from '../chat/text-of.ts';
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import { oneLine, shorten } from './format.ts';
import { printable } from './terminal.ts';

/** Longest text of a part where not all is asked for; a few lines of a terminal. */
const shortLength = 400;

/** Lines of a message: who speaks, then its parts. */
export function formatMessage(message: TranscriptMessage, full: boolean): string[] {
  const note = message.partial === true ? ' (cut off)' : '';
  const heading = message.role === 'tool' ? [] : [`${message.role}${note}:`];
  return [...heading, ...message.parts.flatMap((part) => formatPart(part, full))];
}

/** A call on one line: name and arguments. */
export function formatCall(name: string, input: string | undefined, length: number): string {
  const text = oneLine(input ?? '');
  return printable(shorten(`${name} ${text === '{}' ? '' : text}`.trim(), length));
}

function formatPart(part: Part, full: boolean): string[] {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return indented(cut(part.text, full));
    case 'reasoning':
      return full && part.text !== undefined ? indented(`(thinks) ${part.text}`) : [];
    case 'media':
      return ['  [media]'];
    case 'tool_call': {
      const { name, arguments: input } = part.toolCall;
      return [`  → ${formatCall(name, input, full ? Number.POSITIVE_INFINITY : shortLength)}`];
    }
    case 'tool_result': {
      const { name, output, isError } = part.toolResult;
      const text = cut(toolOutputText(output) ?? '[media]', full);
      const [first = '', ...rest] = printable(text).split('\n');
      const mark = isError === true ? '✗' : '←';
      return [`  ${mark} ${name}: ${first}`, ...rest.map((line) => `    ${line}`)];
    }
  }
}

function cut(text: string, full: boolean): string {
  if (full || text.length <= shortLength) return text;
  return `${shorten(text, shortLength)} (${text.length} characters, see --full)`;
}

function indented(text: string): string[] {
  return printable(text)
    .split('\n')
    .map((line) => `  ${line}`);
}
