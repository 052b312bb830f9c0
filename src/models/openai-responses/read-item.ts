/** Reads output items: first as they are announced, then as they ended. */
import { invalidResponse } from '../adapter/invalid-response.ts';
import { rawMetadata } from '../adapter/raw-metadata.ts';
import type { Segment } from './output-item.ts';
import { partMetadata } from './output-item.ts';
import { parseWire } from './parse-wire.ts';
import type { Reading } from './read-state.ts';
import {
  addAnnotations,
  endText,
  identifyCall,
  itemAt,
  withItem,
  withNote,
  withPart,
} from './read-state.ts';
import { toReasoningState } from './reasoning-state.ts';
import type { WireContent, WireItem } from './wire-event.ts';
import { WireCallItem, WireMessageItem, WireReasoningItem } from './wire-event.ts';

/** Calls that would wait for an answer of tools that were not on offer. */
const notAskedFor: ReadonlySet<string> = new Set([
  'custom_tool_call',
  'computer_call',
  'local_shell_call',
  'shell_call',
  'apply_patch_call',
  'mcp_approval_request',
]);

/**
 * Takes who an item is. Its texts are left to the events that follow: here they may be incomplete.
 * @throws ModelError `invalid_response` for a call of a kind of tool that was not on offer
 */
export function readItemStart(before: Reading, outputIndex: number, item: WireItem): Reading {
  if (notAskedFor.has(item.type)) throw invalidResponse(`a ${item.type} was not asked for`);
  const known = itemAt(before, outputIndex);
  let reading = before;
  // Parts that were passed on cannot be named any more: the rest of them must be named the same.
  if (known.texts.size === 0) {
    const phase = item.type === 'message' ? phaseOf(item) : undefined;
    reading = withItem(before, outputIndex, {
      id: known.id ?? (item.id || undefined),
      phase: known.phase ?? phase,
    });
  }
  if (item.type === 'function_call' && known.call === undefined) {
    const { call_id, id, name } = parseWire(WireCallItem, item, 'function_call item');
    const wireId = call_id || id;
    if (wireId && name) reading = identifyCall(reading, outputIndex, wireId, name);
  }
  return reading;
}

/**
 * Takes an item as it ended: what its pieces lacked, and what a resend must know of it.
 * @throws ModelError `invalid_response` where it ended as something else than was streamed
 */
export function readItemEnd(before: Reading, outputIndex: number, item: WireItem): Reading {
  let reading = readItemStart(before, outputIndex, item);
  const { isDone } = itemAt(reading, outputIndex);
  if (isDone) return reading;
  reading = withItem(reading, outputIndex, { isDone: true });
  switch (item.type) {
    case 'message':
      return endMessage(reading, outputIndex, item);
    case 'function_call':
      return endCall(reading, outputIndex, item);
    case 'reasoning':
      return endReasoning(reading, outputIndex, item);
    default:
      // Hosted tools and compactions have no part; a resend puts them back where they stood.
      return withNote(reading, outputIndex, rawMetadata('item', item));
  }
}

/** One text of a message as it ended, with its annotations. An empty text says nothing. */
export function endContent(
  before: Reading,
  outputIndex: number,
  index: number,
  content: WireContent,
): Reading {
  const at = (kind: Segment['kind']): Segment => ({ outputIndex, kind, index });
  let reading = before;
  if (content.type === 'reasoning_text') {
    return content.text ? endText(reading, at('reasoning'), content.text) : reading;
  }
  if (content.refusal) reading = endText(reading, at('refusal'), content.refusal);
  if (content.type !== 'refusal' && content.text) {
    reading = endText(reading, at('text'), content.text);
  }
  return addAnnotations(reading, at('text'), content.annotations ?? []);
}

function endMessage(before: Reading, outputIndex: number, item: WireItem): Reading {
  const { content, status } = parseWire(WireMessageItem, item, 'message item');
  const phase = phaseOf(item);
  let reading = before;
  for (const [index, piece] of (content ?? []).entries()) {
    reading = endContent(reading, outputIndex, index, piece);
  }
  return withNote(reading, outputIndex, {
    ...(status && status !== 'completed' ? { status } : {}),
    ...(phase !== undefined && phase !== itemAt(before, outputIndex).phase ? { phase } : {}),
  });
}

function phaseOf(item: WireItem): string | undefined {
  return parseWire(WireMessageItem, item, 'message item').phase || undefined;
}

function endCall(before: Reading, outputIndex: number, item: WireItem): Reading {
  const whole = parseWire(WireCallItem, item, 'function_call item');
  const reading =
    whole.arguments == null
      ? before
      : endText(before, { outputIndex, kind: 'arguments', index: 0 }, whole.arguments);
  const { call } = itemAt(reading, outputIndex);
  if (call === undefined) return reading;
  const { type, id, call_id, name, arguments: text, status, ...others } = item;
  const rest = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== null));
  const metadata = {
    ...(status && status !== 'completed' ? rawMetadata('openai/status', status) : {}),
    ...(Object.keys(rest).length > 0 ? rawMetadata('openai/item', rest) : {}),
  };
  if (Object.keys(metadata).length === 0) return reading;
  const toolCall = { id: call.id, name: call.name, arguments: '' };
  return withPart(reading, { kind: 'tool_call', toolCall, metadata }, reading.state.lastText);
}

/** Only the item as it ended holds the whole of its encrypted content, and so only it can be resent. */
function endReasoning(before: Reading, outputIndex: number, item: WireItem): Reading {
  const whole = parseWire(WireReasoningItem, item, 'reasoning item');
  let reading = before;
  let last: Segment | undefined;
  const end = (kind: 'summary' | 'reasoning', contents: readonly WireContent[]) => {
    for (const [index, { text }] of contents.entries()) {
      if (!text) continue;
      last = { outputIndex, kind, index };
      reading = endText(reading, last, text);
    }
  };
  end('summary', whole.summary ?? []);
  end('reasoning', whole.content ?? []);
  const canBeResent = whole.encrypted_content || (whole.content ?? []).length > 0;
  const reasoningState = canBeResent ? toReasoningState(item) : undefined;
  if (reasoningState === undefined) return reading;
  const known = itemAt(reading, outputIndex);
  const metadata = partMetadata(known, last ?? { outputIndex, kind: 'text', index: 0 });
  return withPart(reading, { kind: 'reasoning', reasoningState, metadata });
}
