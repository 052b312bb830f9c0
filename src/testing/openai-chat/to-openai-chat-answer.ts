/** Writes a scripted answer as Chat Completions sends it: in chunks, and in one piece. */
import type { FinishReason } from '../../chat/finish-reason.ts';
import type { Usage } from '../../chat/usage.ts';
import type { ResolvedAnswer } from '../../models/scripted.ts';
import type { WireAnswer, WireEvent } from '../provider-server/wire-format.ts';
import { fragments, idFrom, sseEvent, words } from '../provider-server/wire-text.ts';

/** How the client asked for it. */
interface AnswerForm {
  readonly model: string;
  readonly includeUsage: boolean;
}

/** @param seed decides the ids: the same seed gives the same bytes */
export function toOpenAiChatAnswer(
  scripted: ResolvedAnswer,
  form: AnswerForm,
  seed: string,
): WireAnswer {
  const shared = {
    id: `chatcmpl-${idFrom(`answer ${seed}`, 29)}`,
    created: epochSeconds,
    model: form.model,
    service_tier: 'default',
    system_fingerprint: `fp_${idFrom(form.model, 10)}`,
  };
  const usage = toWireUsage(scripted.usage);
  const chunk = (delta: object, finishReason: string | null) => ({
    ...shared,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
    ...(form.includeUsage ? { usage: null } : {}),
    obfuscation: 'x1',
  });
  const finishReason = toWireFinishReason(scripted.finishReason);
  const usageChunks = form.includeUsage
    ? [{ ...shared, object: 'chat.completion.chunk', choices: [], usage, obfuscation: '' }]
    : [];
  const event = (data: object, isDelta = false): WireEvent => ({ text: sseEvent(data), isDelta });
  return {
    events: [
      event(chunk({ role: 'assistant', content: '', refusal: null }, null)),
      ...toDeltas(scripted).map((delta) => event(chunk(delta, null), true)),
      event(chunk({}, finishReason)),
      ...usageChunks.map((usageChunk) => event(usageChunk)),
    ],
    terminalEvents: 1 + usageChunks.length,
    closing: ['data: [DONE]\n\n'],
    body: {
      ...shared,
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          message: toMessage(scripted),
          logprobs: null,
          finish_reason: finishReason,
        },
      ],
      usage,
    },
  };
}

/** A fixed moment, so that recorded answers do not differ from run to run. */
const epochSeconds = 1_790_000_000;

/** Reasoning has no place in OpenAI's own format; it is sent in the member that compatible servers use. */
function toDeltas(scripted: ResolvedAnswer): object[] {
  return [
    ...words(scripted.reasoning).map((text) => ({ reasoning_content: text })),
    ...words(scripted.text).map((content) => ({ content })),
    ...words(scripted.refusal).map((refusal) => ({ refusal })),
    ...scripted.calls.flatMap(({ id, name, arguments: text = '' }, index) => [
      { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] },
      ...fragments(text, 8).map((piece) => ({
        tool_calls: [{ index, function: { arguments: piece } }],
      })),
    ]),
  ];
}

function toMessage({ reasoning, text, refusal, calls }: ResolvedAnswer): object {
  return {
    role: 'assistant',
    content: text ?? null,
    refusal: refusal ?? null,
    annotations: [],
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map(({ id, name, arguments: given = '' }) => ({
            id,
            type: 'function',
            function: { name, arguments: given },
          })),
        }),
  };
}

function toWireUsage(usage: Usage): object {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    ...(usage.cacheReadInputTokens === undefined && usage.cacheWriteInputTokens === undefined
      ? {}
      : {
          prompt_tokens_details: {
            cached_tokens: usage.cacheReadInputTokens,
            cache_write_tokens: usage.cacheWriteInputTokens,
          },
        }),
    ...(usage.reasoningTokens === undefined
      ? {}
      : { completion_tokens_details: { reasoning_tokens: usage.reasoningTokens } }),
  };
}

/** A refusal ends as `stop` here, and unknown reasons have no word of OpenAI's own. */
function toWireFinishReason(reason: FinishReason): string {
  return reason === 'refusal' ? 'stop' : reason;
}
