/** From what a tool returns to what the model sees of it, within its size limit. */
import { copyJson } from '../chat/copy-json.ts';
import type { ToolContent } from '../chat/tool-output.ts';
import { ToolOutput } from '../chat/tool-output.ts';
import type { ToolReturn } from '../tools/define-tool.ts';

/** The output for a returned value. Broken UTF-16 is made well-formed: a result must never be lost to its encoding. */
export function toToolOutput(value: ToolReturn): ToolOutput {
  if (value === undefined || value === '') return {};
  if (typeof value === 'string') {
    return { content: [{ kind: 'text', text: value.toWellFormed() }] };
  }
  if (isToolOutput(value)) return value;
  const json = copyJson(JSON.parse(JSON.stringify(value).toWellFormed()));
  return json.ok
    ? { details: json.value }
    : { content: [{ kind: 'text', text: JSON.stringify(value).toWellFormed() }] };
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

/**
 * The output within `maxBytes` of UTF-8 text. What is longer keeps its head and tail, cut on code points,
 * around a note that says how much is missing.
 */
export function limitOutput(output: ToolOutput, maxBytes: number): ToolOutput {
  const text = output.content === undefined ? detailsText(output) : undefined;
  if (text !== undefined) {
    return size(text) <= maxBytes
      ? output
      : { content: [{ kind: 'text', text: shorten(text, maxBytes) }] };
  }
  const texts = output.content?.filter((part) => part.kind === 'text') ?? [];
  const total = texts.reduce((sum, part) => sum + size(part.text), 0);
  if (total <= maxBytes) return output;
  const share = Math.floor(maxBytes / texts.length);
  const content = output.content?.map(
    (part): ToolContent =>
      part.kind === 'text' && size(part.text) > share
        ? { kind: 'text', text: shorten(part.text, share) }
        : part,
  );
  return content === undefined ? {} : { content };
}

function detailsText({ details }: ToolOutput): string | undefined {
  return details === undefined ? undefined : JSON.stringify(details);
}

function size(text: string): number {
  return Buffer.byteLength(text);
}

function shorten(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  const half = Math.floor(maxBytes / 2);
  const head = new TextDecoder().decode(bytes.subarray(0, startOfCodePoint(bytes, half)));
  const tail = new TextDecoder().decode(
    bytes.subarray(startOfCodePoint(bytes, bytes.length - half)),
  );
  const missing = bytes.length - Buffer.byteLength(head) - Buffer.byteLength(tail);
  return `${head}\n[… ${missing} of ${bytes.length} bytes left out: ask for a smaller part …]\n${tail}`;
}

/** The nearest index at or before `index` that does not split a code point: continuation bytes are 10xxxxxx. */
function startOfCodePoint(bytes: Buffer, index: number): number {
  let at = index;
  while (at > 0 && at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at -= 1;
  return at;
}
