import { describe, expect, it } from 'vitest';
import type { FinishReason } from '../../src/chat/finish-reason.ts';
import type { TranscriptMessage } from '../../src/chat/transcript-message.ts';
import { startState } from '../../src/loop/apply.ts';
import { afterModel, beforeIteration } from '../../src/loop/decide.ts';
import type { LoopState } from '../../src/loop/loop-state.ts';

interface Case {
  readonly finishReason: FinishReason;
  readonly calls?: boolean;
  readonly waiting?: boolean;
  readonly pauses?: number;
  readonly continueOnLength?: boolean;
  readonly cancelled?: boolean;
}

function stateAfter(given: Case): LoopState {
  const message: TranscriptMessage = {
    id: 'm',
    createdAt: '2026-01-01T00:00:00.000Z',
    role: 'assistant',
    parts: [
      { kind: 'text', text: 'Hm.' },
      ...(given.calls ? [{ kind: 'tool_call' as const, toolCall: { id: 'c', name: 'a' } }] : []),
    ],
  };
  return {
    ...startState({
      type: 'run-started',
      at: 0,
      runId: 'run',
      firstTemporalRunId: 't',
      start: { agent: 'agent', input: 'Go.' },
    }),
    agent: {
      version: 1,
      name: 'agent',
      models: ['m'],
      instructions: '',
      tools: [],
      options: {},
      maxIterations: 3,
      onMaxIterations: 'stop',
      serialTools: false,
      continueOnLength: given.continueOnLength ?? false,
      heartbeatTimeoutMs: 1,
      hash: 'h',
    },
    maxIterations: 3,
    cancelRequested: given.cancelled ?? false,
    inbox: given.waiting ? [{ id: 'm1', message: { ...message, role: 'user' }, bytes: 1 }] : [],
    pauses: given.pauses ?? 0,
    lastResponse: {
      activityId: '1/model',
      message,
      finishReason: given.finishReason,
      attempts: 1,
      providerPause: (given.pauses ?? 0) > 0,
    },
  };
}

describe('afterModel', () => {
  it.each<[string, Case, string]>([
    ['completes without calls', { finishReason: 'stop' }, 'completed'],
    ['reads a message that arrived meanwhile', { finishReason: 'stop', waiting: true }, 'iterate'],
    ['runs calls whatever the reason says', { finishReason: 'stop', calls: true }, 'tools'],
    ['answers the calls of a cut response', { finishReason: 'length', calls: true }, 'tools'],
    ['completes a cut answer', { finishReason: 'length' }, 'completed'],
    ['goes on after a cut', { finishReason: 'length', continueOnLength: true }, 'iterate'],
    ['completes a refusal, calls or not', { finishReason: 'refusal', calls: true }, 'completed'],
    ['completes a filtered answer', { finishReason: 'content_filter' }, 'completed'],
    ['completes an unknown end', { finishReason: 'other', waiting: true }, 'completed'],
    ['goes on after a pause', { finishReason: 'length', pauses: 8 }, 'iterate'],
    [
      'takes the ninth pause in a row as the answer',
      { finishReason: 'length', pauses: 9 },
      'completed',
    ],
    [
      'answers calls before it goes on',
      { finishReason: 'length', pauses: 1, calls: true },
      'tools',
    ],
    ['is cancelled above all', { finishReason: 'stop', calls: true, cancelled: true }, 'cancelled'],
  ])('%s', (_title, given, expected) => {
    const next = afterModel(stateAfter(given));
    expect(next.kind === 'stop' ? next.stop.reason : next.kind).toBe(expected);
  });
});

describe('beforeIteration', () => {
  it('goes on below the limit, stops at it, and names it', () => {
    const state = stateAfter({ finishReason: 'stop' });
    expect(beforeIteration({ ...state, iteration: 2 }, 0)).toBeUndefined();
    expect(beforeIteration({ ...state, iteration: 3 }, 0)).toEqual({
      reason: 'max_iterations',
      detail: 'The run reached its limit of 3 iterations.',
    });
  });

  it('stops a cancelled run first', () => {
    const state = stateAfter({ finishReason: 'stop', cancelled: true });
    expect(beforeIteration({ ...state, iteration: 3 }, 0)?.reason).toBe('cancelled');
  });
});
