/** Foreign text as Markdown that stays where it is put: nothing in it can end its block, make HTML or load an image. */
import { printable } from './terminal.ts';

/** A fence that opens at the first column, whatever the lines before it say. */
const opening = /^(?:(`{3,})[^`]*|(~{3,}).*)$/;

/**
 * Markdown of others in a block quote: nothing of it reaches beyond the quote, and what it marks up is shown as it
 * was meant. Tags are shown as text, and so are images: a transcript that is opened must not call anybody.
 */
export function quoted(text: string): string {
  let fence: string | undefined;
  // Whether a fence inside a list or a quote is open still, only a whole Markdown parser could say.
  let isCertain = true;
  const lines = clean(text)
    .split('\n')
    .map((line) => {
      if (fence !== undefined) {
        if (closes(line, fence)) fence = undefined;
        return line;
      }
      const [, backticks, tildes] = (isCertain && opening.exec(line)) || [];
      fence = backticks ?? tildes;
      if (fence !== undefined) return line;
      if (/`{3}|~{3}/.test(line)) isCertain = false;
      return harmless(line);
    });
  return lines.map((line) => (line === '' ? '>' : `> ${line}`)).join('\n');
}

/** Text as it stands, between fences that are longer than any in it. */
export function fenced(text: string, language = ''): string {
  const content = clean(text);
  const fence = '`'.repeat(Math.max(3, longestRun(content) + 1));
  return `${fence}${language}\n${content}\n${fence}`;
}

/** Text as it stands, as a part of a line. */
export function codeSpan(text: string): string {
  const content = clean(text).replaceAll('\n', ' ');
  const fence = '`'.repeat(longestRun(content) + 1);
  // One space at either end is taken away by whoever reads it.
  const space = /^[` ]|[` ]$/.test(content) ? ' ' : '';
  return content.trim() === '' ? '` `' : `${fence}${space}${content}${space}${fence}`;
}

/** Text as a part of a line, with nothing in it that marks up. */
export function escaped(text: string): string {
  return clean(text)
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll(/[\\`*_[\]<>#!|~&]/g, '\\$&');
}

/** Whether an address can be a link that leads nowhere but to a page. */
export function isWebAddress(uri: string): boolean {
  return /^https?:\/\/[^\s<>]+$/i.test(uri) && printable(uri) === uri;
}

function closes(line: string, fence: string): boolean {
  const [, run = ''] = /^ {0,3}(`+|~+)[ \t]*$/.exec(line) ?? [];
  return run[0] === fence[0] && run.length >= fence.length;
}

/** An entity is text wherever it stands, whatever stands before it: a backslash would not be. */
function harmless(line: string): string {
  return line.replaceAll(/<(?=[A-Za-z/!?])/g, '&lt;').replaceAll('![', '&#33;[');
}

function longestRun(text: string): number {
  const runs = text.match(/`+/g) ?? [];
  return runs.reduce((longest, run) => Math.max(longest, run.length), 0);
}

function clean(text: string): string {
  return printable(text.replaceAll('\r\n', '\n'));
}
