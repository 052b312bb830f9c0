/** Finds where two transcripts part, by what their messages say. Pure. */
import { diffArrays } from 'diff';
import type { Media } from '../chat/media.ts';
import type { Metadata } from '../chat/metadata.ts';
import type { Part } from '../chat/part.ts';
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import { blobHash } from '../storage/blob-store.ts';

/** A message and its index in its own transcript. */
interface PlacedMessage {
  readonly index: number;
  readonly message: TranscriptMessage;
}

/** What stands side by side: the same said twice, one thing said in place of another, or what one side alone has. */
export type AlignedMessages =
  | { readonly kind: 'same'; readonly a: PlacedMessage; readonly b: PlacedMessage }
  | { readonly kind: 'changed'; readonly a: PlacedMessage; readonly b: PlacedMessage }
  | { readonly kind: 'only-a'; readonly a: PlacedMessage }
  | { readonly kind: 'only-b'; readonly b: PlacedMessage };

/** How two transcripts compare. */
export interface TranscriptsDiff {
  /** Messages at the beginning that say the same. */
  readonly common: number;
  /** Everything after them, in order; empty when the transcripts say the same. */
  readonly rest: readonly AlignedMessages[];
}

/**
 * Messages that are looked for on the other side when they moved. The search takes time with the square of this;
 * transcripts that have less in common are paired message by message.
 */
const maxEdits = 2_000;

/**
 * Compares by what is said: role, parts and metadata. Ids of messages, calls and media, times, whether a message is
 * inherited, and what a provider noted for itself are of one run only, so they say nothing.
 */
export function diffTranscripts(
  a: readonly TranscriptMessage[],
  b: readonly TranscriptMessage[],
): TranscriptsDiff {
  const left = a.map(saidBy);
  const right = b.map(saidBy);
  let common = 0;
  while (common < left.length && left[common] === right[common]) common += 1;
  const changes = diffArrays(left.slice(common), right.slice(common), { maxEditLength: maxEdits });
  const blocks: readonly Block[] = changes ?? [
    { removed: true, value: left.slice(common) },
    { added: true, value: right.slice(common) },
  ];
  return { common, rest: aligned(placed(a, common), placed(b, common), blocks) };
}

/** Messages in a row that both sides have, or one of them. */
interface Block {
  readonly added?: boolean;
  readonly removed?: boolean;
  readonly value: readonly unknown[];
}

function placed(messages: readonly TranscriptMessage[], from: number): readonly PlacedMessage[] {
  return messages.slice(from).map((message, offset) => ({ index: from + offset, message }));
}

function aligned(
  a: readonly PlacedMessage[],
  b: readonly PlacedMessage[],
  blocks: readonly Block[],
): readonly AlignedMessages[] {
  const rest: AlignedMessages[] = [];
  let onlyA: readonly PlacedMessage[] = [];
  let onlyB: readonly PlacedMessage[] = [];
  let nextA = 0;
  let nextB = 0;
  const flush = () => {
    rest.push(...paired(onlyA, onlyB));
    onlyA = [];
    onlyB = [];
  };
  for (const { added = false, removed = false, value } of blocks) {
    const takenA = added ? [] : a.slice(nextA, nextA + value.length);
    const takenB = removed ? [] : b.slice(nextB, nextB + value.length);
    nextA += takenA.length;
    nextB += takenB.length;
    if (removed) onlyA = takenA;
    else if (added) onlyB = takenB;
    else {
      flush();
      for (const [offset, left] of takenA.entries()) {
        const right = takenB[offset];
        if (right !== undefined) rest.push({ kind: 'same', a: left, b: right });
      }
    }
  }
  flush();
  return rest;
}

/** Within what differs, messages of one role in the same place are taken for one another. */
function paired(
  a: readonly PlacedMessage[],
  b: readonly PlacedMessage[],
): readonly AlignedMessages[] {
  const pairs: AlignedMessages[] = [];
  const waiting = [...b];
  for (const left of a) {
    const found = waiting.findIndex(({ message }) => message.role === left.message.role);
    if (found < 0) {
      pairs.push({ kind: 'only-a', a: left });
      continue;
    }
    for (const right of waiting.splice(0, found)) pairs.push({ kind: 'only-b', b: right });
    const [right] = waiting.splice(0, 1);
    if (right !== undefined) pairs.push({ kind: 'changed', a: left, b: right });
  }
  return [...pairs, ...waiting.map((right): AlignedMessages => ({ kind: 'only-b', b: right }))];
}

/** Equal texts for messages that say the same, and for no others. */
function saidBy({ role, parts, metadata, partial = false }: TranscriptMessage): string {
  return JSON.stringify([role, partial, parts.map(saidInPart), telling(metadata)]);
}

function saidInPart(part: Part): readonly unknown[] {
  const metadata = telling(part.metadata);
  switch (part.kind) {
    case 'text':
      return [part.kind, part.text, part.citations ?? [], metadata];
    case 'refusal':
      return [part.kind, part.text, metadata];
    case 'reasoning':
      // The state is sealed by the provider, anew each time.
      return [part.kind, part.text ?? '', metadata];
    case 'media':
      return [part.kind, saidInMedia(part.media), metadata];
    case 'tool_call':
      return [part.kind, part.toolCall.name, part.toolCall.arguments ?? '', metadata];
    case 'tool_result': {
      const { name, output, isError = false } = part.toolResult;
      const content = output.content?.map((item) => saidInPart(item)) ?? [];
      const details = output.details === undefined ? [] : [output.details];
      return [part.kind, name, isError, content, details, metadata];
    }
  }
}

/** The same bytes say the same, wherever they are kept. */
function saidInMedia({ mime, source, name, metadata }: Media): readonly unknown[] {
  const { kind } = source;
  const place =
    kind === 'bytes'
      ? ['blob', blobHash(Buffer.from(source.bytes, 'base64'))]
      : [kind, kind === 'blob' ? source.hash : kind === 'uri' ? source.uri : source.ref];
  return [mime, name ?? '', place, telling(metadata)];
}

/** Who writes down how an answer came and how it is given back; see the adapters of these names. */
const providers = /^(?:openai|openai-chat|anthropic)\//;

function telling(metadata: Metadata = {}): readonly (readonly unknown[])[] {
  return Object.entries(metadata)
    .filter(([key]) => !providers.test(key))
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
}
