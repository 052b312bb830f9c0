/** Builds parts; what they hold is checked where they are used, not here. */
import { ChatError } from './chat-error.ts';
import type { Citation } from './citation.ts';
import type { Media, MediaSource } from './media.ts';
import type { MediaPart } from './media-part.ts';
import type { ReasoningPart, RefusalPart, ToolCallPart, ToolResultPart } from './part.ts';
import type { TextPart } from './text-part.ts';
import type { ToolCall } from './tool-call.ts';
import type { ToolResult } from './tool-result.ts';

/** The image types that every provider with vision accepts. */
export const imageMimeTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const;

/** Visible text. */
export function textPart(text: string, citations?: Citation[]): TextPart {
  return citations === undefined ? { kind: 'text', text } : { kind: 'text', text, citations };
}

/** Reasoning with text, the issuer's opaque state (base64), or both. */
export function reasoningPart(text: string | undefined, reasoningState?: string): ReasoningPart {
  return {
    kind: 'reasoning',
    ...(text === undefined ? {} : { text }),
    ...(reasoningState === undefined ? {} : { reasoningState }),
  };
}

/** The words of a refusal. */
export function refusalPart(text: string): RefusalPart {
  return { kind: 'refusal', text };
}

/** Any media. */
export function mediaPart(media: Media): MediaPart {
  return { kind: 'media', media };
}

/**
 * An image: its type and its bytes as pure base64, or where they are.
 *
 * @throws ChatError `invalid_part` for a type outside {@link imageMimeTypes} or a `data:` URL as bytes.
 */
export function imagePart(mime: string, source: string | MediaSource): MediaPart {
  if (!imageMimeTypes.some((known) => known === mime)) {
    const accepted = imageMimeTypes.join(', ');
    throw new ChatError('invalid_part', 'media.mime', `must be one of ${accepted}`);
  }
  if (typeof source !== 'string') return mediaPart({ mime, source });
  if (source.startsWith('data:')) {
    throw new ChatError(
      'invalid_part',
      'media.source.bytes',
      'must be base64 without a data: prefix',
    );
  }
  return mediaPart({ mime, source: { kind: 'bytes', bytes: source } });
}

/** A call that a model proposes. */
export function toolCallPart(toolCall: ToolCall): ToolCallPart {
  return { kind: 'tool_call', toolCall };
}

/** The result of a call. */
export function toolResultPart(toolResult: ToolResult): ToolResultPart {
  return { kind: 'tool_result', toolResult };
}
