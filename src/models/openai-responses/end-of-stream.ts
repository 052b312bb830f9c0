/** Closes a response: what the last delta says, and whether the answer is whole at all. */
import type { FinishReason } from '../../chat/finish-reason.ts';
import type { JsonObject } from '../../chat/json.ts';
import { ModelError } from '../../chat/model-error.ts';
import type { ReportEntry } from '../../chat/report.ts';
import type { ResponseDelta } from '../../chat/response-delta.ts';
import { invalidResponse } from '../adapter/invalid-response.ts';
import { rawMetadata } from '../adapter/raw-metadata.ts';
import { readResponsesUsage } from './read-responses-usage.ts';
import type { ReadState } from './read-state.ts';
import type { WireResponse } from './wire-event.ts';

/**
 * The terminal delta: finish reason, usage, the provider's own words for both, and what a resend must know
 * that no part says.
 * @throws ModelError `stream_cut` when no terminal event came, `invalid_response` when an item is incomplete
 */
export function endOfStream(state: ReadState): {
  readonly delta: ResponseDelta;
  readonly report: readonly ReportEntry[];
} {
  const { ended } = state;
  if (ended === undefined) {
    throw new ModelError('the stream ended before the response', { kind: 'stream_cut' });
  }
  assertWhole(state);
  const usage = ended.usage == null ? undefined : readResponsesUsage(ended.usage);
  const unattached = state.citations.map(
    ({ segment }, index): ReportEntry => ({
      severity: 'omitted',
      path: `citations[${index}]`,
      reason: `its text (${segment}) was not the last part when the citation came; kept in metadata`,
    }),
  );
  const items = itemNotes(state);
  const hasItems = Object.keys(items).length > 0;
  return {
    delta: {
      finishReason: toFinishReason(state, ended),
      // A message needs parts; without any the notes stand with the output.
      ...(hasItems && state.hasParts ? { messageMetadata: { 'openai/items': items } } : {}),
      outputMetadata: {
        extra: {
          'openai/finish_reason': nativeReason(ended),
          ...(hasItems && !state.hasParts ? { 'openai/items': items } : {}),
        },
      },
      ...(usage === undefined
        ? {}
        : {
            metadata: {
              ...(usage.usage === undefined ? {} : { usage: usage.usage }),
              extra: rawMetadata('openai/usage', ended.usage),
            },
          }),
    },
    report: [...(usage?.report ?? []), ...unattached],
  };
}

function assertWhole({ items }: ReadState): void {
  for (const [index, { call, texts }] of items) {
    if (call === undefined && texts.has('arguments/0')) {
      throw invalidResponse(`the call at output index ${index} has no id or no name`);
    }
    for (const [name, { held }] of texts) {
      if (held !== '') throw invalidResponse(`${name} ends in the middle of a code point`);
    }
  }
}

/** The reason for an incomplete response, else its status. */
function nativeReason({ status, incomplete_details }: WireResponse): string {
  return incomplete_details?.reason || status || 'completed';
}

function toFinishReason({ isRefused, items }: ReadState, ended: WireResponse): FinishReason {
  if (isRefused) return 'refusal';
  switch (nativeReason(ended)) {
    case 'completed':
      // Calls that the provider answers itself are no calls of the model's.
      return [...items.values()].some(({ call }) => call !== undefined) ? 'tool_calls' : 'stop';
    case 'max_output_tokens':
      return 'length';
    case 'content_filter':
      return 'content_filter';
    default:
      return 'other';
  }
}

/** By output index: what is known only when an item is done, and the annotations of its texts. */
function itemNotes({ notes, annotations }: ReadState): JsonObject {
  const all = new Map<string, JsonObject>();
  for (const [index, note] of notes) all.set(String(index), note);
  for (const [segment, list] of annotations) {
    const [outputIndex = '', , contentIndex = ''] = segment.split('/');
    const before = all.get(outputIndex) ?? {};
    const raw = rawMetadata(contentIndex, list);
    const known = before['annotations'];
    const merged = typeof known === 'object' && known !== null ? { ...known, ...raw } : raw;
    all.set(outputIndex, { ...before, annotations: merged });
  }
  return Object.fromEntries(all);
}
