/** The fold: `apply(state, fact)` is the only way in which LoopState changes, in the Workflow and in the history projection alike. */

import { textOf } from '../chat/text-of.ts';
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import { addUsage, noUsage } from '../chat/usage-total.ts';
import { defaultMaxIterations } from './agent-defaults.ts';
import type { AppendEntry } from './calls.ts';
import { closeCalls, settle } from './close-calls.ts';
import { chainDigest } from './digest.ts';
import type { Fact } from './fact.ts';
import type { CallError, LoopState, Transcript } from './loop-state.ts';
import { loopVersion } from './loop-state.ts';
import { inputMessageId, receivedMessageId, toolActivityId } from './message-ids.ts';
import { mayFallBack } from './model-failure.ts';
import { planCalls } from './plan-calls.ts';
import { titleOf } from './title-of.ts';
import { toUserMessage } from './to-user-message.ts';
import { utf8Length } from './utf8-length.ts';

/** Messages whose ids are remembered: one that is sent again later than this is another message. */
const seenLength = 1_000;

/** The state of a run that has just been started. */
export function startState(fact: Extract<Fact, { type: 'run-started' }>): LoopState {
  const { input, history, title: _, ...start } = fact.start;
  return {
    version: 1,
    loopVersion,
    runId: fact.runId,
    firstTemporalRunId: fact.firstTemporalRunId,
    generation: 1,
    title: titleOf(fact.start),
    start,
    opening: { input, ...(history !== undefined && { history }) },
    startedAt: fact.at,
    maxIterations: fact.start.maxIterations ?? defaultMaxIterations,
    iteration: 0,
    phase: { kind: 'starting' },
    transcript: { count: 0, digest: '', tail: [] },
    unsent: { append: [], received: [] },
    pendingToolCalls: [],
    inbox: [],
    received: 0,
    seen: [],
    refused: 0,
    output: '',
    usage: noUsage,
    modelCalls: 0,
    callsInIteration: 0,
    model: 0,
    toolCalls: 0,
    pauses: 0,
    cancelRequested: false,
    metadata: start.metadata ?? {},
  };
}

/**
 * The state after `fact`. Never changes its arguments.
 * @throws Error when the fact cannot happen in this state: a broken invariant, never bad input
 */
export function apply(state: LoopState, fact: Exclude<Fact, { type: 'run-started' }>): LoopState {
  switch (fact.type) {
    case 'agent-resolved':
      return {
        ...state,
        agent: fact.agent,
        maxIterations: state.start.maxIterations ?? fact.agent.maxIterations,
        transcript: { ...state.transcript, digest: chainDigest('', fact.agent.hash) },
      };
    case 'message-received':
      return receive(state, fact);
    case 'message-refused':
      return { ...state, refused: state.refused + 1 };
    case 'iteration-started':
      return { ...take(state, fact.received), iteration: fact.iteration, callsInIteration: 0 };
    case 'messages-taken':
      return take(state, fact.received);
    case 'appended':
      return fact.entries.reduce(append, state);
    case 'told':
      return { ...state, unsent: nothingUnsent };
    case 'sealed':
      return { ...state, transcript: { ...state.transcript, sealed: fact.ref } };
    case 'model-started':
      return {
        ...state,
        phase: { kind: 'model' },
        callsInIteration: state.callsInIteration + 1,
        unsent: nothingUnsent,
      };
    case 'model-failed':
      return {
        ...state,
        phase: { kind: 'between' },
        lastError: fact.error,
        model: state.model + (fallsBack(state, fact.error) ? 1 : 0),
      };
    case 'model-ended':
      return endModel(state, fact);
    case 'tool-started':
      return {
        ...state,
        phase: { kind: 'tools' },
        pendingToolCalls: state.pendingToolCalls.map((pending) =>
          pending.call.id === fact.callId
            ? { status: 'running', call: pending.call, index: pending.index }
            : pending,
        ),
      };
    case 'tool-ended':
      return {
        ...state,
        toolCalls: state.toolCalls + (fact.outcome.status === 'called-off' ? 0 : 1),
        pendingToolCalls: state.pendingToolCalls.map((pending) =>
          pending.call.id === fact.callId ? settle(state, pending, fact.outcome, fact.at) : pending,
        ),
      };
    case 'iteration-ended':
      return { ...state, phase: { kind: 'boundary' } };
    case 'cancel-requested':
      return { ...state, cancelRequested: true };
    case 'stopped':
      return {
        ...close(state, fact.at),
        stop: fact.stop,
        phase: { kind: 'ending' },
      };
    case 'ended':
      return { ...state, endedAt: fact.at, phase: { kind: 'ended' } };
  }
}

const nothingUnsent: LoopState['unsent'] = { append: [], received: [] };

function receive(state: LoopState, fact: Extract<Fact, { type: 'message-received' }>): LoopState {
  const { id } = fact;
  if (state.seen.some((seen) => seen.id === id)) return state;
  const position = state.received + 1;
  const message: TranscriptMessage = {
    ...fact.message,
    id: receivedMessageId(state.firstTemporalRunId, position, id),
    createdAt: new Date(fact.at).toISOString(),
  };
  return {
    ...state,
    inbox: [...state.inbox, { id, message, bytes: utf8Length(JSON.stringify(message)) }],
    received: position,
    seen: [...state.seen.slice(1 - seenLength), { id, position }],
  };
}

/** Moves messages from the inbox into the transcript. */
function take(state: LoopState, received: readonly string[]): LoopState {
  if (received.length === 0) return state;
  const messages = received.map((id) => {
    const entry = state.inbox.find((waiting) => waiting.id === id);
    if (entry === undefined) throw new Error(`no message ${id} in the inbox`);
    return entry.message;
  });
  return {
    ...state,
    inbox: state.inbox.filter((waiting) => !received.includes(waiting.id)),
    transcript: messages.reduce(push, state.transcript),
    unsent: { ...state.unsent, received: [...state.unsent.received, ...received] },
  };
}

function endModel(
  state: LoopState,
  { at, activityId, result }: Extract<Fact, { type: 'model-ended' }>,
): LoopState {
  if (state.agent === undefined) throw new Error('a model call ended before the agent was known');
  const { firstTemporalRunId, iteration } = state;
  const lastResponse = {
    activityId,
    ...(result.message !== undefined && {
      message: { ...result.message, createdAt: new Date(at).toISOString() },
    }),
    finishReason: result.finishReason,
    attempts: (result.attempts?.length ?? 0) + 1,
    providerPause: result.providerPause === true,
  };
  return {
    ...state,
    phase: { kind: 'between' },
    lastResponse,
    pendingToolCalls: planCalls(state.agent, lastResponse, { firstTemporalRunId, iteration, at }),
    usage: addUsage(state.usage, result.usage),
    modelCalls: state.modelCalls + 1,
    pauses: lastResponse.providerPause ? state.pauses + 1 : 0,
  };
}

/** A run stays with the model it has fallen back to: changing back and forth would lose prompt caches and reasoning. */
function fallsBack({ agent, model, cancelRequested }: LoopState, error: CallError): boolean {
  const isLast = model + 1 >= (agent?.models.length ?? 0);
  return !isLast && !cancelRequested && mayFallBack(error);
}

function close(state: LoopState, at: number): LoopState {
  const running = state.pendingToolCalls.filter((pending) => pending.status === 'running');
  return {
    ...closeCalls(state, at).reduce(append, state),
    toolCalls: state.toolCalls + running.length,
  };
}

/** Moves one message into the transcript; a tool result leaves the pending calls with it. */
function append(state: LoopState, entry: AppendEntry): LoopState {
  const messages = messagesOf(state, entry);
  const answered = new Set(messages.flatMap(resultIdsOf));
  const said = messages.findLast((message) => message.role === 'assistant');
  const { opening: _, ...opened } = state;
  return {
    ...(entry === 'input' ? opened : state),
    ...(said !== undefined && { output: textOf(said) }),
    transcript: messages.reduce(push, state.transcript),
    unsent: { ...state.unsent, append: [...state.unsent.append, entry] },
    pendingToolCalls:
      answered.size === 0
        ? state.pendingToolCalls
        : state.pendingToolCalls.filter((pending) => !answered.has(pending.call.id)),
  };
}

function messagesOf(state: LoopState, entry: AppendEntry): readonly TranscriptMessage[] {
  if (typeof entry !== 'string') return [entry];
  if (entry === 'input') return openingMessages(state);
  if (entry === state.lastResponse?.activityId && state.lastResponse.message !== undefined) {
    return [state.lastResponse.message];
  }
  for (const pending of state.pendingToolCalls) {
    if (
      pending.status === 'settled' &&
      entry === toolActivityId(state.iteration, pending.call.id)
    ) {
      return [pending.message];
    }
  }
  throw new Error(`no message for ${entry} in iteration ${state.iteration}`);
}

/** The messages a run begins with: its history without system messages, then its input. */
function openingMessages({
  opening,
  firstTemporalRunId,
  startedAt,
}: LoopState): readonly TranscriptMessage[] {
  if (opening === undefined) throw new Error('the input was appended before');
  const history = opening.history?.filter((message) => message.role !== 'system') ?? [];
  const createdAt = new Date(startedAt).toISOString();
  return [...history, toUserMessage(opening.input)].map((message, index) => ({
    ...message,
    id: inputMessageId(firstTemporalRunId, index),
    createdAt,
  }));
}

function push(transcript: Transcript, message: TranscriptMessage): Transcript {
  return {
    ...transcript,
    count: transcript.count + 1,
    digest: chainDigest(transcript.digest, message.id),
    tail: [...transcript.tail, message],
  };
}

function resultIdsOf(message: TranscriptMessage): readonly string[] {
  return message.parts.flatMap((part) => (part.kind === 'tool_result' ? [part.toolResult.id] : []));
}
