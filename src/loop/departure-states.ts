/** The states with which a run goes on from a point of a history: as a fork, or in place of what came after. */
import { startState } from './apply.ts';
import { firstDigest } from './digest.ts';
import type { FromPoint } from './from-point.ts';
import type { LoopState, Transcript } from './loop-state.ts';
import type { TranscriptRef } from './transcript-ref.ts';

/** The point as a state: of the newest boundary that holds none of what is left behind. */
export interface PointState {
  readonly boundary: LoopState;
  /** Messages up to the point. */
  readonly messages: number;
  /** Where they lie: all of them. */
  readonly sealed: TranscriptRef;
}

/** The state of a run that goes on from a point, until the point is found: the agent is not known yet. */
export function awaitingState(fact: {
  readonly at: number;
  readonly runId: string;
  readonly firstTemporalRunId: string;
  readonly from: FromPoint;
}): LoopState {
  const { at, runId, firstTemporalRunId, from } = fact;
  const { agent = '', title = '', input } = from;
  const { opening, ...state } = startState({
    type: 'run-started',
    at,
    runId,
    firstTemporalRunId,
    start: { agent, title, input: input ?? '' },
  });
  return input === undefined || opening === undefined ? state : { ...state, opening };
}

/** What of the argument changes the terms that the run was started with. */
type NewTerms = Pick<FromPoint, 'agent' | 'title' | 'parent' | 'maxIterations' | 'budget'>;

/**
 * The state of a fork: transcript, agent, tools and metadata of the point; everything else is fresh. With another
 * agent that is still to be resolved.
 */
export function forkedState(point: PointState, terms: NewTerms): LoopState {
  const { boundary, messages } = point;
  const { agent, hidden, metadata, runId } = boundary;
  const { options, parent: _, ...others } = boundary.start;
  const isOther = terms.agent !== undefined && terms.agent !== boundary.start.agent;
  // What the one agent was asked with need not fit the other.
  const kept = isOther || options === undefined ? others : { ...others, options };
  const start = withTerms(kept, terms);
  const { opening: __, ...state } = startState({
    type: 'run-started',
    at: 0,
    runId: '',
    firstTemporalRunId: '',
    start: { ...start, input: '', title: terms.title ?? boundary.title },
  });
  const isKnown = agent !== undefined && !isOther;
  return {
    ...state,
    forkedFrom: { runId, messages },
    seedLength: messages,
    ...(isKnown && { agent, maxIterations: start.maxIterations ?? agent.maxIterations, hidden }),
    transcript: seeded(point, isKnown ? agent.hash : undefined),
    ...compacted(point),
    metadata,
  };
}

/** The model goes on with the summary it had, unless that tells of what is left behind. */
function compacted({ boundary, messages }: PointState): Pick<LoopState, 'compaction'> {
  const { compaction } = boundary;
  return compaction === undefined || compaction.from >= messages ? {} : { compaction };
}

/**
 * The state of a run that was taken back to a boundary. What is spent stays spent, as `latest` has it, the newest
 * state of what is left behind.
 * @param keepsInbox the messages that waited at the boundary wait again
 */
export function rewoundState(
  point: PointState,
  latest: LoopState,
  terms: NewTerms & { readonly keepsInbox: boolean },
): LoopState {
  const {
    endedAt: _endedAt,
    stop: _stop,
    halt: _halt,
    lastError: _lastError,
    paused: _paused,
    interruptedAt: _interruptedAt,
    budgetWait: _budgetWait,
    opening: _opening,
    compaction: _compaction,
    lastResponse,
    ...kept
  } = point.boundary;
  const start = withTerms(kept.start, terms);
  const { agent } = kept;
  return {
    ...kept,
    ...spentOf(latest),
    generation: latest.generation + 1,
    start,
    maxIterations: start.maxIterations ?? agent?.maxIterations ?? kept.maxIterations,
    phase: { kind: kept.iteration === 0 ? 'starting' : 'boundary' },
    ...(lastResponse !== undefined && { lastResponse: withoutMessage(lastResponse) }),
    transcript: seeded(point, agent?.hash),
    ...compacted(point),
    unsent: { append: [], received: [] },
    pendingToolCalls: [],
    inbox: terms.keepsInbox ? kept.inbox : [],
    cancelRequested: false,
  };
}

/** Its message stands in the transcript. */
function withoutMessage({
  message: _,
  ...response
}: NonNullable<LoopState['lastResponse']>): NonNullable<LoopState['lastResponse']> {
  return response;
}

/** What a run has used up cannot be given back. */
function spentOf(latest: LoopState): Partial<LoopState> {
  const { usage, modelCalls, toolCalls, costMicroUsd, assumed, extension, children } = latest;
  return {
    usage,
    modelCalls,
    toolCalls,
    ...(costMicroUsd !== undefined && { costMicroUsd }),
    ...(assumed !== undefined && { assumed }),
    ...(extension !== undefined && { extension }),
    ...(children !== undefined && { children }),
  };
}

function withTerms(start: LoopState['start'], terms: NewTerms): LoopState['start'] {
  const { agent, parent, maxIterations, budget } = terms;
  return {
    ...start,
    ...(agent !== undefined && { agent }),
    ...(parent !== undefined && { parent }),
    ...(maxIterations !== undefined && { maxIterations }),
    ...(budget !== undefined && { budget: { ...start.budget, ...budget } }),
  };
}

/** @param agentHash absent while the agent is not known: its being resolved makes the digest */
function seeded(
  { messages: count, sealed }: PointState,
  agentHash: string | undefined,
): Transcript {
  const seed = { hash: sealed.hash, count };
  const digest = agentHash === undefined ? '' : firstDigest(agentHash, seed);
  return { count, digest, seed, sealed, tail: [] };
}
