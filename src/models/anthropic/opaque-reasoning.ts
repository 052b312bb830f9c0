/** Keeps the blocks that only Anthropic can read as reasoning parts, and makes the same blocks of them again. */
import type {
  RedactedThinkingBlockParam,
  ThinkingBlockParam,
} from '@anthropic-ai/sdk/resources/messages';
import type { Metadata } from '../../chat/metadata.ts';
import type { ReasoningPart } from '../../chat/part.ts';
import { JsonSource } from './json-source.ts';

/**
 * How a block lives in a part. `thinking`: text, and the signature as state. `redacted_thinking`: its data
 * as state. `block`: any other block (of a server's tool, or of a kind not known here), its JSON text as
 * state: it has a place among the parts, and means nothing to another provider.
 */
export type OpaqueKind = 'thinking' | 'redacted_thinking' | 'block';

/** Metadata of a part that holds a block; the index keeps neighbours apart. */
export function opaqueMetadata(kind: OpaqueKind, index: number): Metadata {
  return { [`anthropic/${kind}`]: index };
}

/** Text as a reasoning state. */
export function toState(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

/** The block of a part; undefined where another provider issued it, or nobody signed it. */
export function toOpaqueBlock(
  part: ReasoningPart,
): ThinkingBlockParam | RedactedThinkingBlockParam | JsonSource | undefined {
  const { metadata = {}, reasoningState } = part;
  if (reasoningState === undefined) return undefined;
  const state = Buffer.from(reasoningState, 'base64').toString('utf8');
  if (Object.hasOwn(metadata, 'anthropic/thinking')) {
    return { type: 'thinking', thinking: part.text ?? '', signature: state };
  }
  if (Object.hasOwn(metadata, 'anthropic/redacted_thinking')) {
    return { type: 'redacted_thinking', data: state };
  }
  return Object.hasOwn(metadata, 'anthropic/block') ? new JsonSource(state) : undefined;
}
