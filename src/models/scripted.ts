/** A model that says what a script says: for tests, demos and benchmarks. */
import { textDelta, toolCallDelta } from '../chat/create-delta.ts';
import type { FinishReason } from '../chat/finish-reason.ts';
import type { JsonObject } from '../chat/json.ts';
import type { LanguageModel } from '../chat/language-model.ts';
import { languageModel } from '../chat/language-model.ts';
import type { Message } from '../chat/message.ts';
import type { ModelErrorDetails } from '../chat/model-error.ts';
import { ModelError } from '../chat/model-error.ts';
import type { Part } from '../chat/part.ts';
import type { Request } from '../chat/request.ts';
import type { ResponseDelta } from '../chat/response-delta.ts';
import { toolOutputText } from '../chat/text-of.ts';
import type { ToolCall } from '../chat/tool-call.ts';
import type { Usage } from '../chat/usage.ts';

/** A call the model asks for: its input, or the exact text of its arguments. */
export interface ScriptedCall {
  /** Default `call_<assistant messages so far>_<index>`: the same in every process. */
  readonly id?: string | undefined;
  readonly name: string;
  readonly input?: JsonObject | undefined;
  readonly arguments?: string | undefined;
}

/** A failure as data, with the message to show for it. */
export type ScriptedError = ModelErrorDetails & { readonly message?: string | undefined };

/** One answer of the model; all of it is said in the order reasoning, text, refusal, calls. */
export interface ScriptedAnswer {
  readonly reasoning?: string | undefined;
  readonly text?: string | undefined;
  readonly refusal?: string | undefined;
  readonly calls?: readonly ScriptedCall[] | undefined;
  /** Default: lengths of texts divided by four, rounded up. */
  readonly usage?: Usage | undefined;
  /** Default: `tool_calls` with calls, `refusal` with a refusal, else `stop`. */
  readonly finishReason?: FinishReason | undefined;
  /** Ends the answer in place of a finish reason, after everything that the answer says. */
  readonly error?: ScriptedError | undefined;
  /** Awaited before the first delta. */
  readonly waitFor?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Number of deltas after which the stream hangs until it is aborted. */
  readonly stallAfter?: number | undefined;
}

/** Answers in order, or a function from the request to the answer. */
export type Script =
  | readonly ScriptedAnswer[]
  | ((request: Request) => ScriptedAnswer | Promise<ScriptedAnswer>);

/** An answer with every default filled in. */
export interface ResolvedAnswer extends Omit<ScriptedAnswer, 'calls'> {
  readonly calls: readonly ToolCall[];
  readonly usage: Usage;
  readonly finishReason: FinishReason;
}

/** How a scripted model appears: its name, and how many code points a delta holds at most. */
export interface ScriptedModelOptions {
  readonly name?: string | undefined;
  readonly chunkSize?: number | undefined;
}

/** Long enough to keep streams short, short enough that a sentence is streamed in several deltas. */
const defaultChunkSize = 24;

/**
 * A model that follows a script. A request's answer is chosen by the number of assistant messages in it, so
 * a repeated call gets the same answer in any process; a script that has run out is an error that no
 * retry heals.
 */
export function scriptedModel(script: Script, options: ScriptedModelOptions = {}): LanguageModel {
  const { name = 'scripted', chunkSize = defaultChunkSize } = options;
  return languageModel({
    name,
    async *stream(request, { signal }) {
      const answer = await answerFor(script, request);
      if (answer.waitFor !== undefined) await orAborted(answer.waitFor(signal), signal);
      let sent = 0;
      for (const delta of deltasOf(answer, chunkSize)) {
        if (sent === answer.stallAfter) await orAborted(new Promise(() => {}), signal);
        yield delta;
        sent += 1;
      }
      if (answer.stallAfter !== undefined) await orAborted(new Promise(() => {}), signal);
      if (answer.error === undefined) yield endOf(answer);
      else throw toModelError(answer.error, sent > 0);
    },
  });
}

/**
 * The answer to a request, defaults filled in; a server that speaks a provider's wire format
 * follows the same scripts with it.
 *
 * @throws ModelError `bad_request` when the script has run out.
 */
export async function answerFor(script: Script, request: Request): Promise<ResolvedAnswer> {
  const position = request.messages.filter((message) => message.role === 'assistant').length;
  const answer = typeof script === 'function' ? await script(request) : script[position];
  if (answer === undefined)
    throw new ModelError(ranOut(script.length, position), { kind: 'bad_request' });
  const calls = (answer.calls ?? []).map((call, index) =>
    toCall(call, `call_${position}_${index}`),
  );
  return {
    ...answer,
    calls,
    usage: answer.usage ?? estimateUsage(request, answer, calls),
    finishReason: answer.finishReason ?? reasonOf(answer, calls),
  };
}

function ranOut(length: number, position: number): string {
  return `the script has run out: it has ${length} answers and answer ${position + 1} was asked for`;
}

function toCall(call: ScriptedCall, defaultId: string): ToolCall {
  const { id = defaultId, name, input = {} } = call;
  return { id, name, arguments: call.arguments ?? JSON.stringify(input) };
}

function reasonOf(answer: ScriptedAnswer, calls: readonly ToolCall[]): FinishReason {
  if (calls.length > 0) return 'tool_calls';
  return answer.refusal === undefined ? 'stop' : 'refusal';
}

function* deltasOf(answer: ResolvedAnswer, chunkSize: number): Generator<ResponseDelta> {
  for (const text of chunks(answer.reasoning, chunkSize))
    yield { parts: [{ kind: 'reasoning', text }] };
  for (const text of chunks(answer.text, chunkSize)) yield { parts: [textDelta(text)] };
  for (const text of chunks(answer.refusal, chunkSize))
    yield { parts: [{ kind: 'refusal', text }] };
  for (const { id, name, arguments: text } of answer.calls) {
    yield { parts: [toolCallDelta({ id, name, arguments: '' })] };
    for (const more of chunks(text, chunkSize)) {
      yield { parts: [toolCallDelta({ id, name, arguments: more })] };
    }
  }
}

function endOf({ finishReason, usage }: ResolvedAnswer): ResponseDelta {
  return { finishReason, metadata: { usage } };
}

/** Spreading a text gives code points, so no surrogate pair is split. */
function* chunks(text: string | undefined, size: number): Generator<string> {
  const points = [...(text ?? '')];
  for (let at = 0; at < points.length; at += size) yield points.slice(at, at + size).join('');
}

function toModelError({ message, ...details }: ScriptedError, outputStarted: boolean): ModelError {
  return new ModelError(message ?? `scripted failure: ${details.kind}`, {
    outputStarted,
    ...details,
  });
}

function estimateUsage(
  request: Request,
  answer: ScriptedAnswer,
  calls: readonly ToolCall[],
): Usage {
  const reasoning = (answer.reasoning ?? '').length;
  const said = (answer.text ?? '').length + (answer.refusal ?? '').length;
  const asked = calls.reduce((sum, call) => sum + callLength(call), 0);
  const before = request.messages.reduce((sum, message) => sum + messageLength(message), 0);
  return {
    inputTokens: Math.ceil(before / 4),
    outputTokens: Math.ceil((reasoning + said + asked) / 4),
    ...(reasoning === 0 ? {} : { reasoningTokens: Math.ceil(reasoning / 4) }),
  };
}

// Lengths are remembered per message: a long run would measure its transcript again with every call.
const lengths = new WeakMap<Message, number>();

function messageLength(message: Message): number {
  const known = lengths.get(message);
  if (known !== undefined) return known;
  const length = message.parts.reduce((sum, part) => sum + partLength(part), 0);
  lengths.set(message, length);
  return length;
}

function partLength(part: Part): number {
  switch (part.kind) {
    case 'tool_call':
      return callLength(part.toolCall);
    case 'tool_result':
      return (toolOutputText(part.toolResult.output) ?? '').length;
    case 'media':
      return 0;
    default:
      return (part.text ?? '').length;
  }
}

function callLength(call: ToolCall): number {
  return call.name.length + (call.arguments ?? '').length;
}

/** The promise, or the reason of the signal if that comes first. */
async function orAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
