/** How large the next model call can become, before it is made; and what is noted of each call for that. */
import type { AgentSpec } from './agent-spec.ts';
import { costOf, highestCostOf } from './budget-cost.ts';
import { limitsModelCalls } from './budget-use.ts';
import type { ModelCallResult } from './calls.ts';
import type { LoopState } from './loop-state.ts';
import { utf8Length } from './utf8-length.ts';

/** UTF-8 bytes that count as a token: fewer than most texts have, so that the count is rather too high. */
const bytesPerToken = 3;

/**
 * Output tokens reserved where the agent sets no `maxOutputTokens`: more than most answers take. One that is longer
 * exceeds the budget by what it is longer.
 */
export const assumedOutputTokens = 8_192;

/** What the next model call may take. */
export interface Reservation {
  readonly tokens: number;
  /** Millionths of a dollar; undefined for a model without a price. */
  readonly microUsd: number | undefined;
}

/** What the next model call may take at most: the last prompt, what joined it since, and the longest answer. */
export function reservation(state: LoopState): Reservation {
  const { agent, model } = state;
  const prompt = nextPromptTokens(state);
  const output = agent?.options.maxOutputTokens ?? assumedOutputTokens;
  const price = priceOf(agent, model);
  return {
    tokens: prompt + output,
    microUsd: price && highestCostOf(price, prompt, output),
  };
}

/** The members that change with a model call that ended, in the state in which it was made. */
export function spentByCall(
  state: LoopState,
  { usage, message }: ModelCallResult,
): Partial<Pick<LoopState, 'costMicroUsd' | 'lastPrompt' | 'assumed'>> {
  const { agent, model, costMicroUsd = 0, transcript } = state;
  const price = priceOf(agent, model);
  if (usage !== undefined) {
    const isOfUse = agent?.contextTokens !== undefined || limitsModelCalls(state);
    return {
      ...(price !== undefined && { costMicroUsd: costMicroUsd + costOf(price, usage) }),
      ...(isOfUse && { lastPrompt: { tokens: usage.inputTokens, messages: transcript.count } }),
    };
  }
  if (!limitsModelCalls(state)) return {};
  // A provider that tells no usage must not make the budget endless.
  const { tokens: before, costMicroUsd: costBefore } = state.assumed ?? noAssumption;
  const inputTokens = promptTokens(state, 0);
  const outputTokens = toTokens(message === undefined ? 0 : sizeOf(message));
  const cost = price && highestCostOf(price, inputTokens, outputTokens);
  return {
    assumed: {
      tokens: before + inputTokens + outputTokens,
      costMicroUsd: costBefore + (cost ?? 0),
    },
  };
}

const noAssumption = { tokens: 0, costMicroUsd: 0 };

/**
 * What is noted of the last prompt when the transcript leaves the state: bytes of the messages that joined since
 * are counted now, as they cannot be later.
 */
export function carriedPrompt(state: LoopState): Pick<LoopState, 'lastPrompt'> {
  const { lastPrompt } = state;
  if (lastPrompt === undefined) return {};
  const { tokens, messages } = lastPrompt;
  return { lastPrompt: { tokens, messages, carriedBytes: appendedBytes(state) } };
}

/** Tokens of the next prompt, as far as they can be told now. */
export function nextPromptTokens(state: LoopState): number {
  return promptTokens(state, waitingBytes(state));
}

function promptTokens(state: LoopState, furtherBytes: number): number {
  const { agent, lastPrompt } = state;
  if (lastPrompt !== undefined) {
    return lastPrompt.tokens + toTokens(appendedBytes(state) + furtherBytes);
  }
  // Nobody has counted a prompt yet: everything that will stand in it is counted here.
  const { instructions = '', tools = [] } = agent ?? {};
  const definitions = tools.map(({ definition }) => definition);
  const surroundings = utf8Length(instructions) + utf8Length(JSON.stringify(definitions));
  return toTokens(surroundings + allBytes(state) + furtherBytes);
}

/** Bytes of the messages that joined the transcript after the last prompt that was counted. */
function appendedBytes(state: LoopState): number {
  const { count, tail } = state.transcript;
  const { messages = 0, carriedBytes } = state.lastPrompt ?? {};
  const unseen = tail.slice(Math.max(0, messages - (count - tail.length)));
  const bytes = unseen.reduce((sum, message) => sum + sizeOf(message), 0);
  return bytes + (carriedBytes ?? goneBytes(state));
}

/** Bytes of messages that joined since and are sealed: a state that was taken from a history has not counted them. */
function goneBytes({ lastPrompt, transcript: { count, tail, sealed } }: LoopState): number {
  const gone = count - tail.length - (lastPrompt?.messages ?? 0);
  if (gone <= 0 || sealed === undefined || sealed.messages === 0) return 0;
  return Math.ceil((sealed.bytes * gone) / sealed.messages);
}

function allBytes({ transcript: { count, tail, sealed } }: LoopState): number {
  const first = count - tail.length;
  if (first === 0 || sealed === undefined) return tail.reduce((sum, each) => sum + sizeOf(each), 0);
  const rest = tail.slice(Math.max(0, sealed.messages - first));
  return sealed.bytes + rest.reduce((sum, each) => sum + sizeOf(each), 0);
}

/** The next iteration reads what waits. */
function waitingBytes({ inbox }: LoopState): number {
  return inbox.reduce((sum, { bytes }) => sum + bytes, 0);
}

function sizeOf({ parts }: { readonly parts: readonly unknown[] }): number {
  return utf8Length(JSON.stringify(parts));
}

function toTokens(bytes: number): number {
  return Math.ceil(bytes / bytesPerToken);
}

function priceOf(agent: AgentSpec | undefined, model: number) {
  return agent?.prices?.[model] ?? undefined;
}
