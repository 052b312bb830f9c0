/** Turns the chunks of a Chat Completions stream into deltas, one chunk at a time and without I/O. */
import type { Citation } from '../../chat/citation.ts';
import type { PartDelta } from '../../chat/part-delta.ts';
import type { ResponseDelta } from '../../chat/response-delta.ts';
import { createdAt } from '../adapter/created-at.ts';
import { invalidResponse } from '../adapter/invalid-response.ts';
import { wellFormed } from '../adapter/well-formed.ts';
import { wholeText } from '../adapter/whole-text.ts';
import { readAnnotation } from './read-annotation.ts';
import type { ToolCallPiece, ToolCallState } from './read-tool-calls.ts';
import { addToolCallPiece, noToolCalls } from './read-tool-calls.ts';
import type { WireUsage } from './wire-chunk.ts';
import { WireChunk } from './wire-chunk.ts';

/** What has to be remembered between chunks. */
export interface ReadState {
  /** Response metadata that was passed on already, as JSON text: it comes with every chunk. */
  readonly announced: string;
  /** Half of a code point at the end of the text and of the refusal. */
  readonly heldText: string;
  readonly heldRefusal: string;
  readonly refused: boolean;
  readonly lastKind: PartDelta['kind'] | undefined;
  readonly toolCalls: ToolCallState;
  /** Citations that came before any text they could belong to. */
  readonly citations: readonly Citation[];
  /** All annotations as they came. */
  readonly annotations: readonly unknown[];
  /** The provider's own finish reason; held back, because usage follows it. */
  readonly finishReason: string | undefined;
  /** The newest snapshot; servers may send one with every chunk. */
  readonly usage: WireUsage | undefined;
}

/** Before the first chunk. */
export const initialReadState: ReadState = {
  announced: '{}',
  heldText: '',
  heldRefusal: '',
  refused: false,
  lastKind: undefined,
  toolCalls: noToolCalls,
  citations: [],
  annotations: [],
  finishReason: undefined,
  usage: undefined,
};

/**
 * Reads one chunk. The delta is absent when the chunk says nothing that can be passed on yet.
 * @throws ModelError `invalid_response` for what no Chat Completions stream may contain
 */
export function readChunk(
  state: ReadState,
  wire: unknown,
): { readonly state: ReadState; readonly delta?: ResponseDelta } {
  const parsed = WireChunk.safeParse(wire);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw invalidResponse(`chunk member ${issue?.path.join('.') || '(root)'}: ${issue?.message}`);
  }
  const chunk = parsed.data;
  const parts: PartDelta[] = [];
  let next: ReadState = { ...state, usage: chunk.usage ?? state.usage };

  for (const choice of chunk.choices ?? []) {
    if ((choice.index ?? 0) !== 0)
      throw invalidResponse(`choice ${choice.index} was not asked for`);
    next = readDelta(next, choice.delta ?? {}, parts);
    next = { ...next, finishReason: next.finishReason ?? (choice.finish_reason || undefined) };
  }

  const metadata = metadataOf(chunk);
  const announced = JSON.stringify(metadata);
  const isNews = announced !== '{}' && announced !== state.announced;
  if (isNews) next = { ...next, announced };
  if (parts.length === 0 && !isNews) return { state: next };
  return {
    state: next,
    delta: { ...(parts.length > 0 ? { parts } : {}), ...(isNews ? { metadata } : {}) },
  };
}

/** True once the provider has said why it stopped: the answer is whole, whatever happens to the connection. */
export function isFinished(state: ReadState): boolean {
  return state.finishReason !== undefined;
}

type WireDelta = NonNullable<NonNullable<WireChunk['choices']>[number]['delta']>;

function readDelta(before: ReadState, wire: WireDelta, parts: PartDelta[]): ReadState {
  if (wire.function_call != null) throw invalidResponse('function_call was not asked for');
  let state = before;
  const push = (part: PartDelta) => {
    parts.push(part);
    if (part.kind !== 'citation') state = { ...state, lastKind: part.kind };
  };
  const pushCitations = () => {
    if (state.lastKind !== 'text') return;
    for (const citation of state.citations) push({ kind: 'citation', citation });
    state = { ...state, citations: [] };
  };

  if (wire.content) {
    const whole = wholeText(state.heldText, wire.content);
    state = { ...state, heldText: whole.held };
    if (whole.text !== '') push({ kind: 'text', text: wellFormed(whole.text, 'content') });
    pushCitations();
  }
  if (wire.refusal) {
    const whole = wholeText(state.heldRefusal, wire.refusal);
    state = { ...state, heldRefusal: whole.held, refused: true };
    if (whole.text !== '') push({ kind: 'refusal', text: wellFormed(whole.text, 'refusal') });
  }
  for (const wirePiece of wire.tool_calls ?? []) {
    if (wirePiece.custom != null) throw invalidResponse('a custom tool call was not asked for');
    const read = addToolCallPiece(state.toolCalls, wirePiece);
    state = { ...state, toolCalls: read.state };
    if (read.piece !== undefined) push(toolCallDelta(read.piece));
  }
  for (const annotation of wire.annotations ?? []) {
    const citation = readAnnotation(annotation);
    state = {
      ...state,
      annotations: [...state.annotations, annotation],
      citations: citation === undefined ? state.citations : [...state.citations, citation],
    };
    pushCitations();
  }
  return state;
}

function toolCallDelta(piece: ToolCallPiece): PartDelta {
  return {
    kind: 'tool_call',
    toolCall: {
      id: wellFormed(piece.id, 'tool call id'),
      name: wellFormed(piece.name, 'tool name'),
      arguments: wellFormed(piece.arguments, 'tool arguments'),
    },
    ...(piece.wireId === undefined ? {} : { metadata: { 'openai-chat/call_id': piece.wireId } }),
  };
}

/** Empty ids, empty model names and time 0 (first chunk of some servers) are no news. */
function metadataOf(chunk: WireChunk): NonNullable<ResponseDelta['metadata']> {
  const id = chunk.id?.trim();
  const model = chunk.model?.trim();
  const created = createdAt(chunk.created);
  const extra = {
    ...(chunk.service_tier ? { 'openai-chat/service_tier': chunk.service_tier } : {}),
    ...(chunk.system_fingerprint
      ? { 'openai-chat/system_fingerprint': chunk.system_fingerprint }
      : {}),
  };
  return {
    ...(id ? { id } : {}),
    ...(model ? { model } : {}),
    ...(created === undefined ? {} : { createdAt: created }),
    ...(Object.keys(extra).length > 0 ? { extra } : {}),
  };
}
