/** Sums up a conversation that has grown too long for the model. */
import { ActivityFailure } from '@temporalio/workflow';
import { isModelCallResult } from '../loop/call-results.ts';
import { compactionTerms } from '../loop/compaction.ts';
import { compactActivityId } from '../loop/message-ids.ts';
import { toAdvance } from '../loop/to-advance.ts';
import { modelOptions, nodes } from './activities.ts';
import type { Run } from './run.ts';
import { withinGrace } from './within-grace.ts';

/** Asks for a summary. Where nothing comes of it, the run goes on without. */
export async function compactConversation(run: Run): Promise<void> {
  const { agent, iteration, model, transcript, hidden, compaction, phase } = run.state;
  const terms = compactionTerms(run.state);
  if (agent === undefined || terms === undefined) return;
  const activityId = compactActivityId(iteration, transcript.count);
  const isBoundary = phase.kind === 'boundary';
  const input = {
    ...toAdvance(run.state),
    ...(model > 0 && { model }),
    ...(hidden.length > 0 && { hidden: [...hidden] }),
    ...(compaction !== undefined && { compaction: compaction.message.id }),
    compact: { keep: terms.keep, ...(isBoundary && { boundary: true as const }) },
  };
  run.apply({ type: 'told' });
  const asking = () =>
    nodes.everloopCallModel.executeWithOptions(modelOptions(agent, activityId, model), [input]);
  const answer = await run.inReach(() =>
    withinGrace(run, asking(), (result: unknown) => ({ result }), unlessActivity),
  );
  run.noteCancellation();
  if (answer === undefined) return;
  const summary = isModelCallResult(answer.result) ? { result: answer.result } : {};
  run.apply({ type: 'compacted', at: run.now(), activityId, ...summary });
}

function unlessActivity(error: unknown): { readonly result: unknown } {
  if (error instanceof ActivityFailure) return { result: undefined };
  throw error;
}
