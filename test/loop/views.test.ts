import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TranscriptMessage } from '../../src/chat/transcript-message.ts';
import { startState } from '../../src/loop/apply.ts';
import type { LoopState } from '../../src/loop/loop-state.ts';
import { titleOf } from '../../src/loop/title-of.ts';
import { shortened, toRunMemo } from '../../src/loop/to-run-memo.ts';
import { messagesPage, stateView } from '../../src/loop/views.ts';

/** What Temporal keeps of a Query's answer at most, where it is kept at all. */
const limit = 48 * 1024;

function stateWith(texts: readonly string[], input = 'Go.'): LoopState {
  const state = startState({
    type: 'run-started',
    at: 0,
    runId: 'run',
    firstTemporalRunId: 'temporal',
    start: { agent: 'agent', input },
  });
  const tail = texts.map(
    (text, index): TranscriptMessage => ({
      id: `m${index}`,
      createdAt: '2026-01-01T00:00:00.000Z',
      role: 'user',
      parts: [{ kind: 'text', text }],
    }),
  );
  return { ...state, transcript: { count: tail.length, digest: '', tail } };
}

const texts = fc.array(
  fc.oneof(
    fc.constant('short'),
    fc.integer({ min: 1, max: 60_000 }).map((n) => (n % 2 === 0 ? 'x' : '漢').repeat(n)),
  ),
  { maxLength: 20 },
);

describe('messagesPage', () => {
  it('never answers with more than fits, and its pages together hold every message once', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 60 }), (all, pageSize) => {
        const state = stateWith(all);
        const ids: string[] = [];
        for (let since: number | undefined = 0; since !== undefined; ) {
          const page = messagesPage(state, since, pageSize);
          expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThanOrEqual(limit);
          ids.push(...page.messages.map((message) => message.id));
          since = page.next;
        }
        expect(ids).toEqual(state.transcript.tail.map((message) => message.id));
      }),
    );
  });

  it('answers a place behind the end with nothing', () => {
    expect(messagesPage(stateWith(['a']), 7)).toEqual({ total: 1, from: 0, messages: [] });
  });
});

describe('the summary of a run', () => {
  it('stays under 2 KB whatever the user, the model and the errors say', () => {
    for (const said of ['漢', '\u0001', '"', '😀']) {
      const text = said.repeat(10_000);
      const state = stateWith([], text);
      const start = { ...state.start, agent: said.repeat(200) };
      const errorType = 'everloop.model.rate_limited';
      const stop = shortened({ reason: 'error', detail: text, errorType });
      const sealed = { hash: 'f'.repeat(64), messages: 100_000, bytes: 1_000_000_000 };
      const transcript = { ...state.transcript, sealed };
      const spent = { costMicroUsd: Number.MAX_SAFE_INTEGER, maxIterations: 1 };
      const budget = { budget: { wallTimeMs: 1, usd: 0.01 } };
      const limited = { ...state, ...spent, start: { ...start, ...budget } };
      const memo = toRunMemo({ ...limited, stop, transcript, endedAt: 0 }, Date.now());
      expect(memo.budgetUse).toBeGreaterThan(1);
      expect(Buffer.byteLength(JSON.stringify(memo))).toBeLessThan(2_048);
    }
  });

  it('has the first line of the input as its title, cut on a code point', () => {
    expect(titleOf({ agent: 'a', input: '  First line\nsecond' })).toBe('First line');
    const title = titleOf({ agent: 'a', input: '😀'.repeat(100) });
    expect(title.isWellFormed()).toBe(true);
    expect(title.endsWith('…')).toBe(true);
  });

  it('fits a full inbox and many calls with long names into the state view', () => {
    const state = stateWith([]);
    const [message] = stateWith(['x']).transcript.tail;
    if (message === undefined) throw new Error('no message');
    const inbox = Array.from({ length: 1_000 }, () => ({
      id: '漢'.repeat(200),
      message,
      bytes: 1,
    }));
    const pendingToolCalls = Array.from({ length: 1_000 }, (_, index) => ({
      status: 'running' as const,
      call: { id: `c${index}`.padEnd(64, 'x'), name: '漢'.repeat(64) },
      index,
    }));
    const view = stateView({ ...state, inbox, pendingToolCalls });
    expect(Buffer.byteLength(JSON.stringify(view))).toBeLessThanOrEqual(limit);
  });

  it('shows counts, not contents, in the state view', () => {
    const view = stateView(stateWith(['x'.repeat(100_000)]));
    expect(view).toMatchObject({ messages: 1, status: 'running', iteration: 0 });
    expect(JSON.stringify(view).length).toBeLessThan(1_000);
  });
});
