/** Checks that tool calls and tool results of a conversation belong together. */
import type { Message } from './message.ts';
import type { Batch, PlacedResult } from './pairing.ts';
import { isDirectlyAfter, outOfOrder, pairCalls } from './pairing.ts';

/** What can be wrong between calls and results. */
export type SequencingProblem =
  | 'unanswered_call'
  | 'orphan_result'
  | 'duplicate_result'
  | 'duplicate_call'
  | 'reused_call_id'
  | 'misplaced_result'
  | 'result_order';

/** One thing wrong: the ids of the calls concerned, and the message where it shows. */
export interface SequencingFinding {
  readonly problem: SequencingProblem;
  readonly ids: readonly string[];
  readonly path: string;
  readonly message: string;
}

const words: Readonly<Record<SequencingProblem, string>> = {
  unanswered_call: 'calls without a result',
  orphan_result: 'results without a call before them',
  duplicate_result: 'more than one result for a call',
  duplicate_call: 'calls of one message with the same id',
  reused_call_id: 'ids that an earlier message has used',
  misplaced_result: 'results that do not directly follow their calls',
  result_order: 'results in another order than their calls',
};

/**
 * All findings, none for a conversation that any provider accepts: the results of a message's calls follow
 * it directly, in call order, one each, and call ids are unique. Results are paired by position, so
 * `reused_call_id` alone does not keep an adapter from sending what its provider tolerates.
 */
export function checkSequencing(messages: readonly Message[]): readonly SequencingFinding[] {
  const { batches, unmatched } = pairCalls(messages);
  const findings: SequencingFinding[] = [];
  const used = new Set<string>();
  const add = (problem: SequencingProblem, messageIndex: number, ids: readonly string[]) => {
    if (ids.length === 0) return;
    const message = `${words[problem]}: ${ids.join(', ')}`;
    findings.push({ problem, ids, path: `messages[${messageIndex}]`, message });
  };
  for (const batch of batches) {
    const ids = batch.calls.map(({ call }) => call.id);
    add('duplicate_call', batch.messageIndex, [
      ...new Set(ids.filter((id, index) => ids.indexOf(id) < index)),
    ]);
    add('reused_call_id', batch.messageIndex, [...new Set(ids.filter((id) => used.has(id)))]);
    for (const id of ids) used.add(id);
    addBatchFindings(messages, batch, add);
  }
  for (const result of unmatched) {
    const { id } = result.part.toolResult;
    add(isAnswered(batches, result) ? 'duplicate_result' : 'orphan_result', result.messageIndex, [
      id,
    ]);
  }
  return findings;
}

function addBatchFindings(
  messages: readonly Message[],
  batch: Batch,
  add: (problem: SequencingProblem, messageIndex: number, ids: readonly string[]) => void,
): void {
  const unanswered = batch.calls.filter(({ result }) => result === undefined);
  add(
    'unanswered_call',
    batch.messageIndex,
    unanswered.map(({ call }) => call.id),
  );
  const misplaced = batch.calls.filter(
    ({ result }) => result !== undefined && !isDirectlyAfter(messages, batch, result),
  );
  add(
    'misplaced_result',
    batch.messageIndex,
    misplaced.map(({ call }) => call.id),
  );
  add(
    'result_order',
    batch.messageIndex,
    outOfOrder(batch).map(({ call }) => call.id),
  );
}

function isAnswered(batches: readonly Batch[], result: PlacedResult): boolean {
  return batches.some(
    (batch) =>
      batch.messageIndex < result.messageIndex &&
      batch.calls.some(({ call }) => call.id === result.part.toolResult.id),
  );
}
