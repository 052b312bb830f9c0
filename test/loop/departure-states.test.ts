import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { apply } from '../../src/loop/apply.ts';
import { awaitingState, forkedState, rewoundState } from '../../src/loop/departure-states.ts';
import { chainDigest, firstDigest } from '../../src/loop/digest.ts';
import type { FromPoint } from '../../src/loop/from-point.ts';
import type { LoopState } from '../../src/loop/loop-state.ts';
import { agentWith, plans } from './plans.ts';
import { simulate } from './simulate.ts';

const numRuns = 500;
const sealed = { hash: 'list', messages: 1, bytes: 9 };
const from: FromPoint = {
  point: { runId: 'run', temporalRunId: '0000-sim', message: 0 },
  previous: { temporalRunId: '0000-sim', how: 'forked' },
};
const born = { at: 5_000, runId: 'other', firstTemporalRunId: '9999-new' };

/** Boundaries of random runs, with the final state. */
const points = plans.chain((plan) => {
  const { boundaries, final } = simulate(plan);
  const usable = boundaries.filter((state) => state.agent !== undefined);
  return usable.length === 0
    ? fc.constant(undefined)
    : fc.constantFrom(...usable).map((boundary) => ({ boundary, final }));
});

describe('a fork', () => {
  it('takes over transcript, agent, tools and metadata, and begins everything else anew', () => {
    fc.assert(
      fc.property(points, (point) => {
        if (point === undefined) return;
        const { boundary } = point;
        const messages = boundary.transcript.count;
        const state = forkedState({ boundary, messages, sealed }, {});
        expect(state).toMatchObject({
          agent: boundary.agent,
          hidden: boundary.hidden,
          metadata: boundary.metadata,
          forkedFrom: { runId: boundary.runId, messages },
          seedLength: messages,
          transcript: {
            count: messages,
            tail: [],
            sealed,
            seed: { hash: 'list', count: messages },
          },
          generation: 1,
          iteration: 0,
          modelCalls: 0,
          toolCalls: 0,
          usage: { inputTokens: 0, outputTokens: 0, unreported: 0 },
          inbox: [],
          seen: [],
          received: 0,
          pendingToolCalls: [],
          phase: { kind: 'starting' },
          cancelRequested: false,
        });
        for (const absent of ['stop', 'halt', 'lastError', 'lastResponse', 'endedAt', 'opening']) {
          expect(state).not.toHaveProperty(absent);
        }
      }),
      { numRuns },
    );
  });

  it('with another agent waits for it to be resolved, and leaves options behind', () => {
    const [boundary] = simulateOne();
    const start = { ...boundary.start, options: { temperature: 1 } };
    const state = forkedState(
      { boundary: { ...boundary, start }, messages: 1, sealed },
      { agent: 'other', maxIterations: 3 },
    );
    expect(state.agent).toBeUndefined();
    expect(state.start).toEqual({ agent: 'other', maxIterations: 3 });
    const agent = { ...agentWith(9, false), hash: 'other' };
    const resolved = apply(state, { type: 'agent-resolved', agent });
    expect(resolved).toMatchObject({ agent, maxIterations: 3 });
    expect(resolved.transcript.digest).toBe(firstDigest('other', { hash: 'list', count: 1 }));
  });
});

describe('a run taken back', () => {
  it('is in the state of the boundary, and has spent what it had spent', () => {
    fc.assert(
      fc.property(points, (point) => {
        if (point === undefined) return;
        const { boundary, final } = point;
        const messages = boundary.transcript.count;
        const state = rewoundState({ boundary, messages, sealed }, final, { keepsInbox: true });
        expect(state).toMatchObject({
          iteration: boundary.iteration,
          inbox: boundary.inbox,
          hidden: boundary.hidden,
          metadata: boundary.metadata,
          startedAt: boundary.startedAt,
          usage: final.usage,
          modelCalls: final.modelCalls,
          toolCalls: final.toolCalls,
          generation: final.generation + 1,
          pendingToolCalls: [],
          cancelRequested: false,
        });
        for (const absent of ['stop', 'halt', 'lastError', 'endedAt', 'paused']) {
          expect(state).not.toHaveProperty(absent);
        }
        expect(state.lastResponse?.message).toBeUndefined();
      }),
      { numRuns },
    );
  });

  it('to a message takes no message with it that waited', () => {
    const [boundary] = simulateOne();
    const waiting = { id: 'm', message: { ...user, id: 'm' }, bytes: 9 };
    const point = { boundary: { ...boundary, inbox: [waiting] }, messages: 1, sealed };
    expect(rewoundState(point, boundary, { keepsInbox: false }).inbox).toEqual([]);
    expect(rewoundState(point, boundary, { keepsInbox: true }).inbox).toEqual([waiting]);
  });
});

describe('a summary that the model was sent', () => {
  it.each([
    [3, 4, true],
    [3, 3, false],
    [3, 1, false],
  ])('of what comes before message %i is kept with %i messages: %s', (first, messages, isKept) => {
    const [boundary] = simulateOne();
    const compaction = { from: first, message: { ...user, id: 'summary' } };
    const point = { boundary: { ...boundary, compaction }, messages, sealed };
    const expected = isKept ? compaction : undefined;
    expect(forkedState(point, {}).compaction).toEqual(expected);
    expect(rewoundState(point, boundary, { keepsInbox: true }).compaction).toEqual(expected);
  });
});

describe('a restored state', () => {
  it('keeps what the run has met while its point was looked for', () => {
    const [boundary] = simulateOne();
    const before = apply(
      apply(awaitingState({ ...born, from: { ...from, input: 'Next.' } }), {
        type: 'message-received',
        at: 1,
        id: 'early',
        message: { role: 'user', parts: user.parts },
      }),
      { type: 'cancel-requested' },
    );
    const state = forkedState({ boundary, messages: 1, sealed }, {});
    const restored = apply(before, { type: 'restored', how: 'forked', state });
    expect(restored).toMatchObject({
      runId: 'other',
      firstTemporalRunId: '9999-new',
      startedAt: 5_000,
      cancelRequested: true,
      opening: { input: 'Next.' },
      inbox: [{ id: 'early' }],
      received: 1,
    });
    const opened = apply(restored, { type: 'appended', entries: ['input'] });
    expect(opened.transcript.count).toBe(2);
    const [said] = opened.transcript.tail;
    const seed = firstDigest(boundary.agent?.hash ?? '', { hash: 'list', count: 1 });
    expect(opened.transcript.digest).toBe(chainDigest(seed, said?.id ?? ''));
  });
});

const user = {
  role: 'user' as const,
  parts: [{ kind: 'text' as const, text: 'x' }],
  createdAt: '2026-01-01T00:00:00Z',
};

function simulateOne(): [LoopState] {
  const { boundaries } = simulate({
    agent: agentWith(3, false),
    answers: [
      {
        text: 'Hm.',
        calls: [],
        finishReason: 'stop',
        usage: undefined,
        pause: false,
        fails: false,
      },
    ],
    ends: [],
    sends: [],
    continueAfter: [],
    hooks: {},
    actions: [],
    sealsFail: false,
    cancelAfter: undefined,
  });
  const boundary = boundaries.findLast((state) => state.agent !== undefined);
  if (boundary === undefined) throw new Error('no boundary');
  return [boundary];
}
