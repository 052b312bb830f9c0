/** Closes a response: what the last delta says, and whether the answer is whole at all. */
import type { FinishReason } from '../../chat/finish-reason.ts';
import { ModelError } from '../../chat/model-error.ts';
import type { ReportEntry } from '../../chat/report.ts';
import type { ResponseDelta } from '../../chat/response-delta.ts';
import { invalidResponse } from '../adapter/invalid-response.ts';
import { rawMetadata } from '../adapter/raw-metadata.ts';
import { readChatUsage } from './read-chat-usage.ts';
import type { ReadState } from './read-chunk.ts';
import { unfinishedToolCall } from './read-tool-calls.ts';

/**
 * The terminal delta: finish reason, usage, and the provider's own words for both.
 * @throws ModelError `stream_cut` when no finish reason came, `invalid_response` when a call is incomplete
 */
export function endOfStream(state: ReadState): {
  readonly delta: ResponseDelta;
  readonly report: readonly ReportEntry[];
} {
  if (state.finishReason === undefined) {
    throw new ModelError('the stream ended without a finish reason', { kind: 'stream_cut' });
  }
  const unfinished = unfinishedToolCall(state.toolCalls);
  if (unfinished !== undefined) throw invalidResponse(unfinished);
  if (state.heldText !== '' || state.heldRefusal !== '') {
    throw invalidResponse('the text ends in the middle of a code point');
  }
  const usage = state.usage === undefined ? undefined : readChatUsage(state.usage);
  const unattached = state.citations.map(
    (_, index): ReportEntry => ({
      severity: 'omitted',
      path: `citations[${index}]`,
      reason: 'no text came that the citation could belong to; kept in the output metadata',
    }),
  );
  return {
    delta: {
      finishReason: state.refused ? 'refusal' : toFinishReason(state.finishReason),
      outputMetadata: {
        extra: {
          'openai-chat/finish_reason': state.finishReason,
          ...(state.annotations.length > 0
            ? rawMetadata('openai-chat/annotations', state.annotations)
            : {}),
        },
      },
      ...(usage === undefined
        ? {}
        : {
            metadata: {
              ...(usage.usage === undefined ? {} : { usage: usage.usage }),
              extra: rawMetadata('openai-chat/usage', state.usage),
            },
          }),
    },
    report: [...(usage?.report ?? []), ...unattached],
  };
}

function toFinishReason(native: string): FinishReason {
  switch (native) {
    case 'stop':
    case 'length':
    case 'tool_calls':
    case 'content_filter':
      return native;
    case 'function_call':
      return 'tool_calls';
    default:
      return 'other';
  }
}
