/** The fold: `apply(state, fact)` is the only way in which LoopState changes, in the Workflow and in the history projection alike. */
import type { TranscriptMessage } from '../chat/transcript-message.ts';
import { addUsage, noUsage } from '../chat/usage-total.ts';
import { defaultMaxIterations } from './agent-defaults.ts';
import type { AppendEntry } from './calls.ts';
import { closeCalls, settle } from './close-calls.ts';
import { chainDigest } from './digest.ts';
import type { Fact } from './fact.ts';
import type { LoopState, Transcript } from './loop-state.ts';
import { loopVersion } from './loop-state.ts';
import { inputMessageId, receivedMessageId, toolActivityId } from './message-ids.ts';
import { planCalls } from './plan-calls.ts';
import type { StartInput } from './run-input.ts';
import { toUserMessage } from './to-user-message.ts';

/** The state of a run that has just been started. */
export function startState(fact: Extract<Fact, { type: 'run-started' }>): LoopState {
  return {
    version: 1,
    loopVersion,
    runId: fact.runId,
    firstTemporalRunId: fact.firstTemporalRunId,
    start: fact.start,
    startedAt: fact.at,
    maxIterations: fact.start.maxIterations ?? defaultMaxIterations,
    iteration: 0,
    phase: { kind: 'starting' },
    transcript: { count: 0, digest: '', tail: [] },
    unsent: { append: [], received: [] },
    pendingToolCalls: [],
    inbox: [],
    seen: {},
    usage: noUsage,
    modelCalls: 0,
    toolCalls: 0,
    pauses: 0,
    cancelRequested: false,
    metadata: fact.start.metadata ?? {},
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
    case 'iteration-started':
      return startIteration(state, fact.iteration, fact.received);
    case 'appended':
      return fact.entries.reduce(append, state);
    case 'model-started':
      return { ...state, phase: { kind: 'model' }, unsent: { append: [], received: [] } };
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
      return { ...state, phase: { kind: 'between' } };
    case 'cancel-requested':
      return { ...state, cancelRequested: true };
    case 'stopped':
      return {
        ...close(state, fact.at),
        stop: fact.stop,
        endedAt: fact.at,
        phase: { kind: 'ended' },
      };
  }
}

function receive(state: LoopState, fact: Extract<Fact, { type: 'message-received' }>): LoopState {
  if (Object.hasOwn(state.seen, fact.id)) return state;
  const message: TranscriptMessage = {
    ...fact.message,
    id: receivedMessageId(state.firstTemporalRunId, fact.id),
    createdAt: new Date(fact.at).toISOString(),
  };
  const position = Object.keys(state.seen).length + 1;
  return {
    ...state,
    inbox: [...state.inbox, { id: fact.id, message }],
    seen: { ...state.seen, [fact.id]: position },
  };
}

function startIteration(
  state: LoopState,
  iteration: number,
  received: readonly string[],
): LoopState {
  const messages = received.map((id) => {
    const entry = state.inbox.find((waiting) => waiting.id === id);
    if (entry === undefined) throw new Error(`no message ${id} in the inbox`);
    return entry.message;
  });
  return {
    ...state,
    iteration,
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
  return {
    ...state,
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
  if (entry === 'input') {
    return inputMessages(state.start, state.firstTemporalRunId, state.startedAt);
  }
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
function inputMessages(
  start: StartInput,
  firstTemporalRunId: string,
  at: number,
): readonly TranscriptMessage[] {
  const history = start.history?.filter((message) => message.role !== 'system') ?? [];
  const createdAt = new Date(at).toISOString();
  return [...history, toUserMessage(start.input)].map((message, index) => ({
    ...message,
    id: inputMessageId(firstTemporalRunId, index),
    createdAt,
  }));
}

function push(transcript: Transcript, message: TranscriptMessage): Transcript {
  return {
    count: transcript.count + 1,
    digest: chainDigest(transcript.digest, message.id),
    tail: [...transcript.tail, message],
  };
}

function resultIdsOf(message: TranscriptMessage): readonly string[] {
  return message.parts.flatMap((part) => (part.kind === 'tool_result' ? [part.toolResult.id] : []));
}
