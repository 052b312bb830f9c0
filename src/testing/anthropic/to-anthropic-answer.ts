/** Writes a scripted answer as the Messages API sends it: in events, and in one piece. */
import type { FinishReason } from '../../chat/finish-reason.ts';
import type { ToolCall } from '../../chat/tool-call.ts';
import type { Usage } from '../../chat/usage.ts';
import type { ResolvedAnswer } from '../../models/scripted.ts';
import type { WireAnswer, WireEvent } from '../provider-server/wire-format.ts';
import { fragments, idFrom, sseEvent, words } from '../provider-server/wire-text.ts';

/** One block: as it begins, the pieces of it, and what it is in the end. */
interface WireBlock {
  readonly start: object;
  readonly pieces: readonly { readonly delta: object; readonly isDelta: boolean }[];
  readonly whole: object;
  /** The beginning alone says something: which tool is called. */
  readonly isDelta: boolean;
}

/** @param seed decides ids and signatures: the same seed gives the same bytes */
export function toAnthropicAnswer(
  scripted: ResolvedAnswer,
  model: string,
  seed: string,
): WireAnswer {
  const blocks = toBlocks(scripted, seed);
  const ending = toEnding(scripted);
  const { start: startUsage, whole: usage, end: endUsage } = toWireUsage(scripted.usage);
  const shell = {
    id: `msg_01${idFrom(`answer ${seed}`, 22)}`,
    type: 'message',
    role: 'assistant',
    model,
    container: null,
    diagnostics: null,
  };
  const nothing = { stop_reason: null, stop_sequence: null, stop_details: null };
  return {
    events: [
      event('message_start', { message: { ...shell, content: [], ...nothing, usage: startUsage } }),
      event('ping', {}),
      ...blocks.flatMap(({ start, pieces, isDelta }, index) => [
        event('content_block_start', { index, content_block: start }, isDelta),
        ...pieces.map((piece) =>
          event('content_block_delta', { index, delta: piece.delta }, piece.isDelta),
        ),
        event('content_block_stop', { index }),
      ]),
      event('message_delta', { delta: { ...ending, container: null }, usage: endUsage }),
      event('message_stop', {}),
    ],
    terminalEvents: 2,
    closing: [],
    body: { ...shell, content: blocks.map(({ whole }) => whole), ...ending, usage },
  };
}

function event(type: string, members: object, isDelta = false): WireEvent {
  return { text: sseEvent({ type, ...members }, type), isDelta };
}

function toBlocks({ reasoning, text, calls }: ResolvedAnswer, seed: string): WireBlock[] {
  return [
    ...(reasoning ? [thinking(reasoning, idFrom(`signature ${seed}`, 60))] : []),
    ...(text ? [said(text)] : []),
    ...calls.map(toolUse),
  ];
}

function thinking(text: string, signature: string): WireBlock {
  return {
    start: { type: 'thinking', thinking: '', signature: '' },
    pieces: [
      ...words(text).map((piece) => ({
        delta: { type: 'thinking_delta', thinking: piece },
        isDelta: true,
      })),
      { delta: { type: 'signature_delta', signature }, isDelta: false },
    ],
    whole: { type: 'thinking', thinking: text, signature },
    isDelta: false,
  };
}

function said(text: string): WireBlock {
  return {
    start: { type: 'text', text: '', citations: null },
    pieces: words(text).map((piece) => ({
      delta: { type: 'text_delta', text: piece },
      isDelta: true,
    })),
    whole: { type: 'text', text, citations: null },
    isDelta: false,
  };
}

function toolUse({ id, name, arguments: text = '' }: ToolCall): WireBlock {
  const call = { type: 'tool_use', id, name, caller: { type: 'direct' } };
  return {
    start: { ...call, input: {} },
    pieces: fragments(text, 8).map((piece) => ({
      delta: { type: 'input_json_delta', partial_json: piece },
      isDelta: true,
    })),
    whole: { ...call, input: toInput(text) },
    isDelta: true,
  };
}

/** In one piece the input is an object, whatever the script says. */
function toInput(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function toEnding({ finishReason, refusal }: ResolvedAnswer): object {
  return {
    stop_reason: stopReasons[finishReason],
    stop_sequence: null,
    stop_details:
      refusal === undefined ? null : { type: 'refusal', category: null, explanation: refusal },
  };
}

/** The API has no filter that is told apart from a refusal. */
const stopReasons: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
  refusal: 'refusal',
  other: 'other',
};

/** Usage at the start of a stream, at its end (cumulative, what is known already left out) and in one piece. */
function toWireUsage(usage: Usage): Readonly<Record<'start' | 'end' | 'whole', object>> {
  const { inputTokens, outputTokens, reasoningTokens } = usage;
  const { cacheReadInputTokens: read, cacheWriteInputTokens: written } = usage;
  const input = {
    input_tokens: Math.max(0, inputTokens - (read ?? 0) - (written ?? 0)),
    cache_read_input_tokens: read ?? null,
    cache_creation_input_tokens: written ?? null,
    cache_creation: null,
    service_tier: 'standard',
    server_tool_use: null,
  };
  const output = {
    output_tokens: outputTokens,
    output_tokens_details:
      reasoningTokens === undefined ? null : { thinking_tokens: reasoningTokens },
  };
  return {
    start: { ...input, output_tokens: Math.min(1, outputTokens), output_tokens_details: null },
    end: {
      input_tokens: null,
      cache_read_input_tokens: null,
      cache_creation_input_tokens: null,
      server_tool_use: null,
      ...output,
    },
    whole: { ...input, ...output },
  };
}
