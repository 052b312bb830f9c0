/** Finds which tool result answers which tool call. */
import type { Message } from './message.ts';
import type { ToolResultPart } from './part.ts';
import type { ToolCall } from './tool-call.ts';

/** A result and where it stands: message, then part. */
export interface PlacedResult {
  readonly part: ToolResultPart;
  readonly messageIndex: number;
  readonly partIndex: number;
}

/** A call and the result that answers it, if any. */
export interface PairedCall {
  readonly call: ToolCall;
  result?: PlacedResult;
}

/** All calls of one message, in call order. */
export interface Batch {
  readonly messageIndex: number;
  readonly calls: readonly PairedCall[];
}

/** Batches in order, and the results that answer none of their calls. */
export interface Pairing {
  readonly batches: readonly Batch[];
  readonly unmatched: readonly PlacedResult[];
}

/**
 * Pairs by position: a result answers the nearest earlier batch with an unanswered call of its id, since
 * some providers use one id again in every response.
 */
export function pairCalls(messages: readonly Message[]): Pairing {
  const batches: Batch[] = [];
  const unmatched: PlacedResult[] = [];
  // Per id the calls not answered yet, newest batch first, within a batch in call order.
  const open = new Map<string, PairedCall[]>();
  for (const [messageIndex, message] of messages.entries()) {
    const calls: PairedCall[] = [];
    for (const [partIndex, part] of message.parts.entries()) {
      if (part.kind === 'tool_call') calls.push({ call: part.toolCall });
      if (part.kind !== 'tool_result') continue;
      const result = { part, messageIndex, partIndex };
      const call = open.get(part.toolResult.id)?.shift();
      if (call === undefined) unmatched.push(result);
      else call.result = result;
    }
    if (calls.length === 0) continue;
    batches.push({ messageIndex, calls });
    for (const paired of [...calls].reverse()) {
      open.set(paired.call.id, [paired, ...(open.get(paired.call.id) ?? [])]);
    }
  }
  return { batches, unmatched };
}

/** Whether a result stands in the tool messages directly after the message of its batch. */
export function isDirectlyAfter(
  messages: readonly Message[],
  batch: Batch,
  result: PlacedResult,
): boolean {
  if (result.messageIndex <= batch.messageIndex) return false;
  const between = messages.slice(batch.messageIndex + 1, result.messageIndex);
  return between.every((message) => message.role === 'tool');
}

/** The batch's answered calls whose result comes before the result of an earlier call. */
export function outOfOrder(batch: Batch): readonly PairedCall[] {
  let furthest = -1;
  let furthestPart = -1;
  return batch.calls.filter(({ result }) => {
    if (result === undefined) return false;
    const { messageIndex, partIndex } = result;
    const isLater =
      messageIndex > furthest || (messageIndex === furthest && partIndex > furthestPart);
    if (!isLater) return true;
    furthest = messageIndex;
    furthestPart = partIndex;
    return false;
  });
}
