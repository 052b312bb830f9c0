/** Closes a response: what the last delta says, and whether the answer is whole at all. */

import type { FinishReason } from '../../chat/finish-reason.ts';
import { ModelError } from '../../chat/model-error.ts';
import type { PartDelta } from '../../chat/part-delta.ts';
import { pauseMark } from '../../chat/pause-mark.ts';
import type { ReportEntry } from '../../chat/report.ts';
import type { ResponseDelta } from '../../chat/response-delta.ts';
import { rawMetadata } from '../adapter/raw-metadata.ts';
import { citationsKey } from './read-citation.ts';
import type { ReadState } from './read-event.ts';
import { closeOpenBlocks } from './read-event.ts';
import { readMessageUsage } from './read-message-usage.ts';

/**
 * The terminal delta: finish reason, usage, the provider's own words for both, and the citations as they
 * came, with which the message can be sent back.
 * @throws ModelError `stream_cut` when no stop reason came, `invalid_response` when a block is incomplete
 */
export function endOfStream(before: ReadState): {
  readonly delta: ResponseDelta;
  readonly report: readonly ReportEntry[];
} {
  const { stop_reason: stopReason } = before.ending;
  if (!stopReason) {
    throw new ModelError('the stream ended without a stop reason', { kind: 'stream_cut' });
  }
  const { state, parts: last } = closeOpenBlocks(before);
  const { stop_sequence: stopSequence, stop_details: stopDetails, container } = state.ending;
  const parts = [...last, ...refusal(stopDetails?.['explanation'])];
  const usage = state.usage === undefined ? undefined : readMessageUsage(state.usage);
  const messageMetadata = rawMetadata(
    citationsKey,
    Object.keys(state.citations).length === 0 ? undefined : state.citations,
  );
  return {
    delta: {
      ...(parts.length === 0 ? {} : { parts }),
      ...(Object.keys(messageMetadata).length === 0 ? {} : { messageMetadata }),
      finishReason: toFinishReason(stopReason),
      outputMetadata: {
        extra: {
          'anthropic/stop_reason': stopReason,
          ...rawMetadata('anthropic/stop_sequence', stopSequence ?? undefined),
          ...rawMetadata('anthropic/stop_details', stopDetails ?? undefined),
          ...rawMetadata('anthropic/container', container ?? undefined),
          ...(stopReason === 'pause_turn' ? { [pauseMark]: true } : {}),
        },
      },
      ...(usage === undefined
        ? {}
        : {
            metadata: {
              ...(usage.usage === undefined ? {} : { usage: usage.usage }),
              extra: rawMetadata('anthropic/usage', state.usage),
            },
          }),
    },
    report: [...state.report, ...(usage?.report ?? [])],
  };
}

/** Often all that is said when the provider stops an answer. */
function refusal(explanation: unknown): PartDelta[] {
  if (typeof explanation !== 'string' || explanation === '' || !explanation.isWellFormed())
    return [];
  return [{ kind: 'refusal', text: explanation }];
}

function toFinishReason(native: string): FinishReason {
  switch (native) {
    case 'end_turn':
    case 'stop_sequence':
      return 'stop';
    case 'max_tokens':
    case 'model_context_window_exceeded':
    case 'pause_turn':
      return 'length';
    case 'tool_use':
      return 'tool_calls';
    case 'refusal':
      return 'refusal';
    default:
      return 'other';
  }
}
