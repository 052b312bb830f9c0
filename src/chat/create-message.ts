/** Builds messages; what they hold is checked where they are used, not here. */
import { textPart, toolResultPart } from './create-part.ts';
import type { Message } from './message.ts';
import type { Part } from './part.ts';
import type { ToolResult } from './tool-result.ts';

/** Instructions to the model. */
export function systemMessage(text: string): Message {
  return { role: 'system', parts: [textPart(text)] };
}

/** What a user says: a text, or parts. */
export function userMessage(content: string | readonly Part[]): Message {
  return { role: 'user', parts: toParts(content) };
}

/** What a model said: a text, or parts. */
export function assistantMessage(content: string | readonly Part[]): Message {
  return { role: 'assistant', parts: toParts(content) };
}

/** The result of one tool call. */
export function toolMessage(result: ToolResult): Message {
  return { role: 'tool', parts: [toolResultPart(result)] };
}

function toParts(content: string | readonly Part[]): Part[] {
  return typeof content === 'string' ? [textPart(content)] : [...content];
}
