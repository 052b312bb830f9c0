/** A transcript as text. */
import type { Part } from '../chat/part.ts';
import type { ToolOutput } from '../chat/tool-output.ts';
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import { oneLine, shorten } from './format.ts';
import { mediaLabel } from './media-label.ts';
import { printable } from './terminal.ts';

/** Longest text of a part where not all is asked for; a few lines of a terminal. */
const shortLength = 400;

/** A message as lines: who speaks, then its parts. */
export interface FormattedMessage {
  readonly lines: readonly string[];
  /** Characters that were left out. */
  readonly hidden: number;
}

/** The message, whole or with its long texts cut. */
export function formatMessage(message: TranscriptMessage, full: boolean): FormattedMessage {
  const heading = message.role === 'tool' ? [] : [`${message.role}${marksOf(message)}:`];
  const parts = message.parts.map((part) => formatPart(part, full));
  return {
    lines: [...heading, ...parts.flatMap(({ lines }) => lines)],
    hidden: parts.reduce((sum, { hidden }) => sum + hidden, 0),
  };
}

/** What else is to be known of a message: ` (inherited, cut off)`; '' where there is nothing. */
export function marksOf({ inherited, partial }: TranscriptMessage): string {
  const marks = [inherited === true && 'inherited', partial === true && 'cut off'];
  const told = marks.filter((mark) => mark !== false);
  return told.length === 0 ? '' : ` (${told.join(', ')})`;
}

/** A call on one line: name and arguments. */
export function formatCall(name: string, input: string | undefined, length: number): string {
  const text = oneLine(input ?? '');
  return printable(shorten(`${name} ${text === '{}' ? '' : text}`.trim(), length));
}

function formatPart(part: Part, full: boolean): FormattedMessage {
  switch (part.kind) {
    case 'text':
    case 'refusal': {
      const { text, hidden } = cut(part.text, full);
      return { lines: indented(text), hidden };
    }
    case 'reasoning': {
      const { text = '' } = part;
      if (!full || text === '') return { lines: [], hidden: text.length };
      return { lines: indented(`(thinks) ${text}`), hidden: 0 };
    }
    case 'media':
      return { lines: indented(mediaLabel(part.media)), hidden: 0 };
    case 'tool_call': {
      const { name, arguments: input } = part.toolCall;
      const whole = formatCall(name, input, Number.POSITIVE_INFINITY);
      const shown = full ? whole : formatCall(name, input, shortLength);
      return { lines: [`  → ${shown}`], hidden: whole.length - shown.length };
    }
    case 'tool_result': {
      const { name, output, isError } = part.toolResult;
      const { text, hidden } = cut(outputText(output), full);
      const [first = '', ...rest] = printable(text).split('\n');
      const mark = isError === true ? '✗' : '←';
      return {
        lines: [`  ${mark} ${name}: ${first}`, ...rest.map((line) => `    ${line}`)],
        hidden,
      };
    }
  }
}

/** The texts and media of an output, or its details where it has neither. */
function outputText({ content = [], details }: ToolOutput): string {
  if (content.length === 0) return details === undefined ? '' : JSON.stringify(details);
  return content
    .map((item) => (item.kind === 'text' ? item.text : mediaLabel(item.media)))
    .join('');
}

function cut(text: string, full: boolean): { readonly text: string; readonly hidden: number } {
  const shown = full ? text : shorten(text, shortLength);
  return { text: shown, hidden: text.length - shown.length };
}

function indented(text: string): string[] {
  return printable(text)
    .split('\n')
    .map((line) => `  ${line}`);
}
