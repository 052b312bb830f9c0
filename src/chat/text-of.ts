/** The visible text of what was said. */
import type { Message } from './message.ts';
import type { Output } from './output.ts';
import type { Response } from './response.ts';
import type { ResponseDelta } from './response-delta.ts';
import type { ToolOutput } from './tool-output.ts';

/** All `text` parts joined: no reasoning, no refusal, no media, no details. Empty if there are none. */
export function textOf(source: Message | Output | Response | ResponseDelta | ToolOutput): string {
  if ('output' in source) return textOf(source.output);
  if ('message' in source) return source.message === undefined ? '' : textOf(source.message);
  if ('parts' in source) return joined(source.parts);
  return 'content' in source ? joined(source.content) : '';
}

/**
 * A tool's output as one text: its texts joined, or without content its details as JSON text.
 * `undefined` if it holds media, which text cannot express.
 */
export function toolOutputText(output: ToolOutput): string | undefined {
  const { content = [], details } = output;
  if (content.length === 0) return details === undefined ? '' : JSON.stringify(details);
  return content.some((item) => item.kind === 'media') ? undefined : joined(content);
}

function joined(pieces: readonly { kind: string; text?: string | undefined }[] = []): string {
  let text = '';
  for (const piece of pieces) {
    if (piece.kind === 'text') text += piece.text ?? '';
  }
  return text;
}
