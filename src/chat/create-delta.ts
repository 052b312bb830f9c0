/** Builds part deltas; what they hold is checked when they are accumulated. */
import type { Citation } from './citation.ts';
import type { Media } from './media.ts';
import type { Metadata } from './metadata.ts';
import type { PartDelta } from './part-delta.ts';
import type { ToolCall } from './tool-call.ts';

/** What keeps a delta apart from its neighbours: metadata, which the part keeps, and a block number. */
export interface DeltaMarks {
  readonly metadata?: Metadata;
  readonly block?: number;
}

/** More visible text. */
export function textDelta(text: string, marks: DeltaMarks = {}): PartDelta {
  return { kind: 'text', text, ...marks };
}

/** More reasoning: text, state (base64), or both. */
export function reasoningDelta(
  content: { readonly text?: string; readonly reasoningState?: string },
  marks: DeltaMarks = {},
): PartDelta {
  return { kind: 'reasoning', ...content, ...marks };
}

/** More of a refusal. */
export function refusalDelta(text: string, marks: DeltaMarks = {}): PartDelta {
  return { kind: 'refusal', text, ...marks };
}

/** One whole piece of media. */
export function mediaDelta(media: Media, metadata?: Metadata): PartDelta {
  return metadata === undefined ? { kind: 'media', media } : { kind: 'media', media, metadata };
}

/** A call, or more of its arguments: `id` and `name` come with every delta. */
export function toolCallDelta(toolCall: ToolCall, metadata?: Metadata): PartDelta {
  const kind = 'tool_call';
  return metadata === undefined ? { kind, toolCall } : { kind, toolCall, metadata };
}

/** A citation of the text before it. */
export function citationDelta(citation: Citation): PartDelta {
  return { kind: 'citation', citation };
}
