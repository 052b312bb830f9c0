/** Turns one content block of an answer into parts while it is being written. */
import type { Citation } from '../../chat/citation.ts';
import type { Metadata } from '../../chat/metadata.ts';
import type { PartDelta } from '../../chat/part-delta.ts';
import { freeId } from '../adapter/free-id.ts';
import { invalidResponse } from '../adapter/invalid-response.ts';
import { membersOf } from '../adapter/members-of.ts';
import { rawMetadata } from '../adapter/raw-metadata.ts';
import { wellFormed } from '../adapter/well-formed.ts';
import { wholeText } from '../adapter/whole-text.ts';
import { writeJson } from './json-source.ts';
import type { OpaqueKind } from './opaque-reasoning.ts';
import { opaqueMetadata, toState } from './opaque-reasoning.ts';
import { readCitation } from './read-citation.ts';
import { toWireInput } from './to-wire-input.ts';
import type { WireBlock } from './wire-event.ts';

/** A block that has begun. `held` is half of a code point at the end of what came. */
export type OpenBlock = { readonly index: number } & (
  | {
      readonly kind: 'text';
      readonly held: string;
      readonly hasText: boolean;
      /** Citations that came before the text they belong to. */
      readonly waiting: readonly Citation[];
      /** All citations as they came. */
      readonly citations: readonly unknown[];
    }
  | { readonly kind: 'thinking'; readonly held: string; readonly signature: string }
  | {
      readonly kind: 'tool_use';
      readonly held: string;
      readonly id: string;
      readonly name: string;
      /** The whole input, from servers that do not stream it. */
      readonly input: unknown;
      readonly hasArguments: boolean;
    }
  /** Nothing more is to come. */
  | { readonly kind: 'said' }
  /** A block that is kept as it is; `input` is streamed text, empty where none came. */
  | { readonly kind: 'opaque'; readonly block: WireBlock; readonly input: string }
);

/** A block and what it has to say now. */
export interface BlockStep {
  readonly block: OpenBlock;
  readonly parts: readonly PartDelta[];
}

/**
 * Begins a block; what servers send at once instead of in pieces is said at once.
 * @param callIds ids of the calls before
 * @throws ModelError `invalid_response` for a call without id or name
 */
export function openBlock(index: number, wire: WireBlock, callIds: ReadonlySet<string>): BlockStep {
  switch (wire.type) {
    case 'text': {
      const opened: OpenBlock = {
        index,
        kind: 'text',
        held: '',
        hasText: false,
        waiting: [],
        citations: [],
      };
      const citations = Array.isArray(wire['citations']) ? wire['citations'] : [];
      return citations.reduce<BlockStep>(
        ({ block, parts }, citation) => {
          const step = addToBlock(block, { type: 'citations_delta', citation });
          return { block: step.block, parts: [...parts, ...step.parts] };
        },
        addToBlock(opened, { type: 'text_delta', text: wire['text'] }),
      );
    }
    case 'thinking': {
      const signature = textIn(wire['signature']);
      const opened: OpenBlock = { index, kind: 'thinking', held: '', signature };
      return addToBlock(opened, { type: 'thinking_delta', thinking: wire['thinking'] });
    }
    case 'redacted_thinking': {
      const parts = reasoning('redacted_thinking', index, { state: textIn(wire['data']) });
      return { block: { index, kind: 'said' }, parts };
    }
    case 'tool_use':
      return openToolUse(index, wire, callIds);
    default:
      return { block: { index, kind: 'opaque', block: wire, input: '' }, parts: [] };
  }
}

/** Adds a piece; pieces that the block cannot have are ignored, as newer kinds would be. */
export function addToBlock(block: OpenBlock, wire: WireBlock): BlockStep {
  if (block.kind === 'opaque') return { block: addToOpaque(block, wire), parts: [] };
  if (block.kind === 'text' && wire.type === 'text_delta') {
    const whole = wholeText(block.held, textIn(wire['text']));
    if (whole.text === '') return { block: { ...block, held: whole.held }, parts: [] };
    const text = wellFormed(whole.text, 'text');
    return {
      block: { ...block, held: whole.held, hasText: true, waiting: [] },
      parts: [{ kind: 'text', text, block: block.index }, ...block.waiting.map(citationDelta)],
    };
  }
  if (block.kind === 'text' && wire.type === 'citations_delta') {
    const citation = readCitation(wire['citation']);
    const citations = [...block.citations, wire['citation']];
    if (citation === undefined) return { block: { ...block, citations }, parts: [] };
    return block.hasText
      ? { block: { ...block, citations }, parts: [citationDelta(citation)] }
      : { block: { ...block, citations, waiting: [...block.waiting, citation] }, parts: [] };
  }
  if (block.kind === 'thinking' && wire.type === 'thinking_delta') {
    const whole = wholeText(block.held, textIn(wire['thinking']));
    const parts = reasoning('thinking', block.index, { text: whole.text });
    return { block: { ...block, held: whole.held }, parts };
  }
  if (block.kind === 'thinking' && wire.type === 'signature_delta') {
    return { block: { ...block, signature: textIn(wire['signature']) }, parts: [] };
  }
  if (block.kind === 'tool_use' && wire.type === 'input_json_delta') {
    const whole = wholeText(block.held, textIn(wire['partial_json']));
    const next = { ...block, held: whole.held };
    if (whole.text === '') return { block: next, parts: [] };
    return { block: { ...next, hasArguments: true }, parts: [callDelta(block, whole.text)] };
  }
  return { block, parts: [] };
}

/** What is left to say at the end of a block. @throws ModelError `invalid_response` for text that ends inside a code point */
export function closeBlock(block: OpenBlock): readonly PartDelta[] {
  if ('held' in block && block.held !== '') {
    throw invalidResponse(`block ${block.index} ends in the middle of a code point`);
  }
  switch (block.kind) {
    case 'thinking':
      return reasoning('thinking', block.index, { state: block.signature });
    case 'tool_use': {
      const input = membersOf(block.input) ?? {};
      if (block.hasArguments || Object.keys(input).length === 0) return [];
      return [callDelta(block, JSON.stringify(block.input))];
    }
    case 'opaque': {
      const input = block.input === '' ? {} : { input: toWireInput(block.input, '', []) };
      return reasoning('block', block.index, { state: writeJson({ ...block.block, ...input }) });
    }
    default:
      return [];
  }
}

function openToolUse(index: number, wire: WireBlock, callIds: ReadonlySet<string>): BlockStep {
  const id = textIn(wire['id']);
  const name = wellFormed(textIn(wire['name']), 'tool name');
  if (id === '' || name === '') {
    throw invalidResponse(`tool call in block ${index} has no ${id === '' ? 'id' : 'name'}`);
  }
  const block: OpenBlock = {
    index,
    kind: 'tool_use',
    held: '',
    id: freeId(wellFormed(id, 'tool call id'), callIds),
    name,
    input: wire['input'],
    hasArguments: false,
  };
  const metadata: Metadata = {
    ...(membersOf(wire['caller'])?.['type'] === 'direct'
      ? {}
      : rawMetadata('anthropic/caller', wire['caller'] ?? undefined)),
    ...rawMetadata('anthropic/toolset_name', wire['toolset_name'] ?? undefined),
  };
  const part = callDelta(block, '');
  return {
    block,
    parts: [Object.keys(metadata).length === 0 ? part : { ...part, metadata }],
  };
}

type ToolUse = Extract<OpenBlock, { kind: 'tool_use' }>;
type ToolCallDelta = Extract<PartDelta, { kind: 'tool_call' }>;

function callDelta({ id, name }: ToolUse, text: string): ToolCallDelta {
  return {
    kind: 'tool_call',
    toolCall: { id, name, arguments: wellFormed(text, 'tool arguments') },
  };
}

/** Streamed JSON is joined; of members not known here texts go on and others are replaced. */
function addToOpaque(
  block: Extract<OpenBlock, { kind: 'opaque' }>,
  { type, ...members }: WireBlock,
): OpenBlock {
  if (type === 'input_json_delta') {
    return { ...block, input: block.input + textIn(members['partial_json']) };
  }
  const merged = Object.entries(members).map(([name, value]): [string, unknown] => {
    const known = block.block[name];
    return [name, typeof known === 'string' && typeof value === 'string' ? known + value : value];
  });
  return { ...block, block: { ...block.block, ...Object.fromEntries(merged) } };
}

function reasoning(
  kind: OpaqueKind,
  index: number,
  { text = '', state = '' }: { text?: string; state?: string },
): PartDelta[] {
  if (text === '' && state === '') return [];
  return [
    {
      kind: 'reasoning',
      ...(text === '' ? {} : { text: wellFormed(text, 'thinking') }),
      ...(state === '' ? {} : { reasoningState: toState(state) }),
      block: index,
      metadata: opaqueMetadata(kind, index),
    },
  ];
}

function citationDelta(citation: Citation): PartDelta {
  return { kind: 'citation', citation };
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
