/** From what a tool returns to what the model sees of it, within its size limit. */
import { inspect } from 'node:util';
import { copyJson } from '../chat/copy-json.ts';
import { textOutput } from '../chat/create-tool-output.ts';
import type { ToolContent } from '../chat/tool-output.ts';
import { ToolOutput } from '../chat/tool-output.ts';
import type { ToolReturn } from '../tools/define-tool.ts';

/**
 * The output for a returned value. Never throws and loses nothing that text can carry: the tool has run, and
 * broken UTF-16, a number that JSON cannot hold or a cycle must not turn its success into a failure.
 */
export function toToolOutput(value: ToolReturn): ToolOutput {
  if (value === undefined || value === '') return {};
  if (typeof value === 'string') return textOutput(value.toWellFormed());
  if (isToolOutput(value)) return value;
  const text = jsonText(value);
  if (text === undefined) return textOutput(inspect(value).toWellFormed());
  const json = copyJson(JSON.parse(text));
  if (!json.ok) return textOutput(text);
  return isToolOutput(json.value) ? json.value : { details: json.value };
}

/** JSON text with well-formed strings; undefined for what JSON cannot say. */
function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, (_, member: unknown) =>
      typeof member === 'string' ? member.toWellFormed() : member,
    );
  } catch {
    return undefined;
  }
}

/** Only an object that has nothing but the members of an output is one; any other object is details. */
function isToolOutput(value: unknown): value is ToolOutput {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.keys(value).length > 0 &&
    ToolOutput.safeParse(value).success
  );
}

/** Bytes of text kept in history at most, whatever a tool asks for. */
export const maxInlineBytes = 1024 * 1024;

/**
 * The output within `wantedBytes` of UTF-8 text, and 1 MiB in any case. What is longer keeps its head and tail,
 * cut on code points, around a note that says how much is missing and what to do about it; media stay where they are.
 */
export function limitOutput(
  output: ToolOutput,
  wantedBytes: number,
  advice = 'ask for a smaller part',
): ToolOutput {
  const maxBytes = Math.min(wantedBytes, maxInlineBytes);
  const { content = [], details } = output;
  if (content.length === 0) {
    const text = details === undefined ? '' : JSON.stringify(details);
    return size(text) <= maxBytes
      ? output
      : { content: shorten([{ kind: 'text', text }], maxBytes, advice) };
  }
  const total = content.reduce((sum, part) => sum + textSize(part), 0);
  const limited = total <= maxBytes ? content : shorten(content, maxBytes, advice);
  // Details beside content are for programs, so that they may be longer than what the model sees.
  const keepsDetails = details !== undefined && size(JSON.stringify(details)) <= maxInlineBytes;
  if (limited === content && (keepsDetails || details === undefined)) return output;
  return { content: limited, ...(keepsDetails && { details }) };
}

/** The texts as if they were one: what lies between its head and its tail is left out, whichever parts that hits. */
function shorten(content: readonly ToolContent[], maxBytes: number, advice: string): ToolContent[] {
  const total = content.reduce((sum, part) => sum + textSize(part), 0);
  // The note counts as well; its numbers are never longer than the total.
  const room = Math.max(0, maxBytes - size(note(total, total, advice)));
  const headEnd = Math.ceil(room / 2);
  const tailStart = total - Math.floor(room / 2);
  const before: ToolContent[] = [];
  const after: ToolContent[] = [];
  let at = 0;
  let kept = 0;
  for (const part of content) {
    if (part.kind !== 'text') {
      (at < headEnd ? before : after).push(part);
      continue;
    }
    const bytes = Buffer.from(part.text);
    const head = bytes.subarray(0, codePointBefore(bytes, headEnd - at));
    const tail = bytes.subarray(codePointAfter(bytes, tailStart - at));
    if (head.length > 0) before.push({ kind: 'text', text: head.toString() });
    if (tail.length > 0) after.push({ kind: 'text', text: tail.toString() });
    kept += head.length + tail.length;
    at += bytes.length;
  }
  return [...before, { kind: 'text', text: note(total - kept, total, advice) }, ...after];
}

function note(missing: number, total: number, advice: string): string {
  return `\n[… ${missing} of ${total} bytes left out: ${advice} …]\n`;
}

function textSize(part: ToolContent): number {
  return part.kind === 'text' ? size(part.text) : 0;
}

function size(text: string): number {
  return Buffer.byteLength(text);
}

/** The nearest index at or before `index` that does not split a code point. */
function codePointBefore(bytes: Buffer, index: number): number {
  let at = Math.min(Math.max(index, 0), bytes.length);
  while (isContinuation(bytes[at])) at -= 1;
  return at;
}

/** The nearest index at or after `index` that does not split a code point. */
function codePointAfter(bytes: Buffer, index: number): number {
  let at = Math.min(Math.max(index, 0), bytes.length);
  while (isContinuation(bytes[at])) at += 1;
  return at;
}

/** The second and later bytes of a code point are 10xxxxxx. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
