/** The tool results that the run writes itself when a call has none of its own: `not executed` and `outcome unknown`, never mixed. */
import type { ToolCall } from '../chat/tool-call.ts';
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import { cutText } from './cut-text.ts';

/** Longest name that is repeated in a text: a model may call anything by any name. */
const nameLength = 100;

/** A tool's name as texts give it. */
export function shortName(name: string): string {
  return cutText(name, nameLength);
}

/** The call was not run. */
export function notExecuted(name: string): string {
  return `not executed: ${shortName(name)}`;
}

/** The call was called off, and history does not tell whether an attempt of it had been made. */
export function outcomeUncertain(name: string): string {
  return `outcome unknown: ${shortName(name)} was called off and may have started. It may or may not have taken effect: check before calling it again.`;
}

/** The call started and its result never came back: it may or may not have taken effect. */
export function outcomeUnknown(name: string, reason: string): string {
  return `outcome unknown: ${shortName(name)} started, but its result was lost (${reason}). It may or may not have taken effect: check before calling it again.`;
}

/** A result in the transcript that the Workflow itself makes. `createdAt` is Workflow time in milliseconds. */
export function ownResult(
  id: string,
  call: ToolCall,
  text: string,
  createdAt: number,
  isError: boolean,
): TranscriptMessage {
  const toolResult = {
    id: call.id,
    name: shortName(call.name),
    output: { content: [{ kind: 'text' as const, text }] },
    ...(isError && { isError }),
  };
  return {
    id,
    createdAt: new Date(createdAt).toISOString(),
    role: 'tool',
    parts: [{ kind: 'tool_result', toolResult }],
  };
}
