/** Finds the tool calls in a message. */
import type { Message } from './message.ts';
import type { ToolCall } from './tool-call.ts';

/** The tool calls of an assistant message, in the order in which it makes them. */
export function callsOf(message: Message | undefined): readonly ToolCall[] {
  return message?.parts.flatMap((part) => (part.kind === 'tool_call' ? [part.toolCall] : [])) ?? [];
}
