/** Puts a conversation right whose tool calls and results do not belong together. */
import { checkSequencing } from './check-sequencing.ts';
import { toolMessage } from './create-message.ts';
import { textOutput } from './create-tool-output.ts';
import type { Message } from './message.ts';
import type { Batch, PairedCall, Pairing } from './pairing.ts';
import { isDirectlyAfter, outOfOrder, pairCalls } from './pairing.ts';
import type { Part } from './part.ts';

/** The text of a result that repair writes, and nothing else does. */
export const missingToolResult = '(missing tool result)';

/** One thing that was done; `newId` is the id of a renamed call and its result. */
export interface Repair {
  readonly action: 'added_result' | 'removed_result' | 'moved_result' | 'renamed_call';
  readonly id: string;
  readonly newId?: string;
}

/** The conversation put right, and what was done; without repairs the very same messages. */
export interface Repaired<Entry extends Message> {
  readonly messages: readonly Entry[];
  readonly repairs: readonly Repair[];
}

/** Makes an entry of a message that repair wrote or changed; `origin` is the entry it was before. */
export type Adopt<Entry extends Message> = (message: Message, origin: Entry | undefined) => Entry;

/**
 * Gives every call exactly one result, directly after its message and in call order: missing results are
 * filled in, results without a call removed, misplaced ones moved, repeated call ids renamed together with
 * their result. Pure and idempotent; messages that were right stay the same objects, and what passes
 * {@link checkSequencing} comes back unchanged.
 *
 * Entries with more members than a message has (ids) need `adopt`.
 */
export function repair(messages: readonly Message[]): Repaired<Message>;
export function repair<Entry extends Message>(
  messages: readonly Entry[],
  adopt: Adopt<Entry>,
): Repaired<Entry>;
export function repair(
  messages: readonly Message[],
  adopt: Adopt<Message> = (message) => message,
): Repaired<Message> {
  if (checkSequencing(messages).length === 0) return { messages, repairs: [] };
  const pairing = pairCalls(messages);
  const repairs: Repair[] = matchEarlyResults(pairing);
  const newIds = renameRepeated(messages, pairing.batches);
  const batches = new Map(pairing.batches.map((batch) => [batch.messageIndex, batch]));
  const repaired: Message[] = [];
  for (const [index, message] of messages.entries()) {
    const batch = batches.get(index);
    // Results are written where their calls are; the others belong nowhere.
    if (message.role === 'tool') continue;
    if (batch === undefined) repaired.push(message);
    else repaired.push(...repairBatch(messages, batch, newIds, adopt, repairs));
  }
  return { messages: repaired, repairs };
}

/** A result before its call is kept if nothing else answers the call: its effect has happened. */
function matchEarlyResults({ batches, unmatched }: Pairing): Repair[] {
  const removed: Repair[] = [];
  for (const result of unmatched) {
    const { id } = result.part.toolResult;
    const call = batches
      .flatMap((batch) => (batch.messageIndex > result.messageIndex ? batch.calls : []))
      .find((paired) => paired.call.id === id && paired.result === undefined);
    if (call === undefined) removed.push({ action: 'removed_result', id });
    else call.result = result;
  }
  return removed;
}

function renameRepeated(
  messages: readonly Message[],
  batches: readonly Batch[],
): ReadonlyMap<PairedCall, string> {
  const newIds = new Map<PairedCall, string>();
  const taken = new Set(messages.flatMap((message) => message.parts.flatMap(idsOf)));
  const used = new Set<string>();
  for (const paired of batches.flatMap((batch) => batch.calls)) {
    const { id } = paired.call;
    if (used.has(id)) {
      let count = 2;
      while (taken.has(`${id}_${count}`)) count += 1;
      taken.add(`${id}_${count}`);
      newIds.set(paired, `${id}_${count}`);
    }
    used.add(id);
  }
  return newIds;
}

function idsOf(part: Part): string[] {
  if (part.kind === 'tool_call') return [part.toolCall.id];
  return part.kind === 'tool_result' ? [part.toolResult.id] : [];
}

function repairBatch(
  messages: readonly Message[],
  batch: Batch,
  newIds: ReadonlyMap<PairedCall, string>,
  adopt: Adopt<Message>,
  repairs: Repair[],
): Message[] {
  const origin = messages[batch.messageIndex];
  if (origin === undefined) return [];
  const intact = intactResults(messages, batch);
  const isRenamed = batch.calls.some((paired) => newIds.has(paired));
  const caller = isRenamed ? adopt(renameCalls(origin, batch, newIds), origin) : origin;
  const displaced = new Set(outOfOrder(batch));
  const results: Message[] = [];
  for (const paired of batch.calls) {
    const { call, result } = paired;
    const newId = newIds.get(paired);
    if (newId !== undefined) repairs.push({ action: 'renamed_call', id: call.id, newId });
    if (result === undefined) repairs.push({ action: 'added_result', id: call.id });
    else if (displaced.has(paired) || !isDirectlyAfter(messages, batch, result)) {
      repairs.push({ action: 'moved_result', id: call.id });
    }
    results.push(resultMessage(messages, paired, newId, adopt));
  }
  return [caller, ...(isRenamed || intact === undefined ? results : intact)];
}

/** The tool messages that follow, if they hold exactly the results of the batch in call order. */
function intactResults(messages: readonly Message[], batch: Batch): readonly Message[] | undefined {
  const from = batch.messageIndex + 1;
  const end = messages.findIndex((message, index) => index >= from && message.role !== 'tool');
  const following = messages.slice(from, end < 0 ? undefined : end);
  const found = following.flatMap((message) => message.parts);
  const isIntact =
    found.length === batch.calls.length &&
    batch.calls.every(({ result }, index) => result?.part === found[index]);
  return isIntact ? following : undefined;
}

function renameCalls(
  message: Message,
  batch: Batch,
  newIds: ReadonlyMap<PairedCall, string>,
): Message {
  const calls = batch.calls.values();
  const parts = message.parts.map((part): Part => {
    if (part.kind !== 'tool_call') return part;
    const paired = calls.next().value;
    const id = paired === undefined ? undefined : newIds.get(paired);
    return id === undefined ? part : { ...part, toolCall: { ...part.toolCall, id } };
  });
  return withParts(message, parts);
}

function resultMessage(
  messages: readonly Message[],
  { call, result }: PairedCall,
  newId: string | undefined,
  adopt: Adopt<Message>,
): Message {
  const id = newId ?? call.id;
  if (result === undefined) {
    const output = textOutput(missingToolResult);
    return adopt(toolMessage({ id, name: call.name, output, isError: true }), undefined);
  }
  const origin = messages[result.messageIndex];
  if (origin?.parts.length === 1 && newId === undefined) return origin;
  const part: Part = { ...result.part, toolResult: { ...result.part.toolResult, id } };
  return adopt(
    origin === undefined ? { role: 'tool', parts: [part] } : withParts(origin, [part]),
    origin,
  );
}

function withParts({ role, metadata }: Message, parts: Part[]): Message {
  return metadata === undefined ? { role, parts } : { role, parts, metadata };
}
