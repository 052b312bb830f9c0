/** Writes a scripted answer as the Responses API sends it: in events, and in one piece. */
import type { FinishReason } from '../../chat/finish-reason.ts';
import type { Usage } from '../../chat/usage.ts';
import type { ResolvedAnswer } from '../../models/scripted.ts';
import type { WireAnswer, WireEvent } from '../provider-server/wire-format.ts';
import { idFrom, sseEvent } from '../provider-server/wire-text.ts';
import type { ScriptedItem } from './scripted-items.ts';
import { toScriptedItems } from './scripted-items.ts';

/** How the client asked for it. */
interface AnswerForm {
  readonly model: string;
  readonly store: boolean;
  /** What was said before: the same input gets the same items. */
  readonly input: string;
}

/** @param seed decides the id of the response: the same seed gives the same bytes */
export function toOpenAiResponsesAnswer(
  scripted: ResolvedAnswer,
  form: AnswerForm,
  seed: string,
): WireAnswer {
  const reason = incompleteReasons[scripted.finishReason];
  const status = reason === undefined ? 'completed' : 'incomplete';
  const items = toScriptedItems(scripted, form.input, status);
  const begun = toResponse(form, seed, { status: 'in_progress', output: [], usage: null });
  const ended = toResponse(form, seed, {
    status,
    incomplete_details: reason === undefined ? null : { reason },
    output: items.map(({ done }) => done),
    usage: toWireUsage(scripted.usage),
  });
  const all = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...items.flatMap(itemEvents),
    { type: `response.${ended.status}`, response: ended },
  ];
  return {
    events: all.map(
      ({ isDelta = false, type, ...data }: AnyEvent, position): WireEvent => ({
        text: sseEvent({ type, ...data, sequence_number: position }, type),
        isDelta,
      }),
    ),
    terminalEvents: 1,
    closing: [],
    body: ended,
  };
}

interface AnyEvent {
  readonly type: string;
  readonly isDelta?: boolean;
  readonly [name: string]: unknown;
}

function itemEvents(item: ScriptedItem, outputIndex: number): AnyEvent[] {
  const at = { output_index: outputIndex };
  const withId = { item_id: item.done.id, ...at };
  return [
    { type: 'response.output_item.added', ...at, item: item.added, isDelta: item.isDelta },
    ...item.events.map((event) => ({ ...event, ...withId })),
    { type: 'response.output_item.done', ...at, item: item.done },
  ];
}

/** Reasons that are no word of the protocol's own have one of these all the same. */
const incompleteReasons: Readonly<Record<FinishReason, string | undefined>> = {
  stop: undefined,
  tool_calls: undefined,
  refusal: undefined,
  length: 'max_output_tokens',
  content_filter: 'content_filter',
  other: 'max_messages',
};

/** A fixed moment, so that recorded answers do not differ from run to run. */
const epochSeconds = 1_790_000_000;

interface Progress {
  readonly status: 'in_progress' | 'completed' | 'incomplete';
  readonly incomplete_details?: { readonly reason: string } | null;
  readonly output: readonly object[];
  readonly usage: object | null;
}

function toResponse({ model, store }: AnswerForm, seed: string, progress: Progress) {
  return {
    id: `resp_${idFrom(`answer ${seed}`, 48)}`,
    object: 'response',
    created_at: epochSeconds,
    status: progress.status,
    background: false,
    completed_at: progress.status === 'completed' ? epochSeconds : null,
    error: null,
    incomplete_details: progress.incomplete_details ?? null,
    instructions: null,
    max_output_tokens: null,
    model,
    output: progress.output,
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    service_tier: 'default',
    store,
    temperature: 1,
    text: { format: { type: 'text' }, verbosity: 'medium' },
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    truncation: 'disabled',
    usage: progress.usage,
    user: null,
    metadata: {},
  };
}

function toWireUsage(usage: Usage): object {
  return {
    input_tokens: usage.inputTokens,
    input_tokens_details: {
      cached_tokens: usage.cacheReadInputTokens ?? 0,
      cache_write_tokens: usage.cacheWriteInputTokens ?? 0,
    },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
    total_tokens: usage.inputTokens + usage.outputTokens,
  };
}
