import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { apply, startState } from '../../src/loop/apply.ts';
import { isInboxFull } from '../../src/loop/decide.ts';
import type { LoopState } from '../../src/loop/loop-state.ts';
import { receivedSignal } from '../../src/loop/received-signal.ts';

const empty = startState({
  type: 'run-started',
  at: 0,
  runId: 'run',
  firstTemporalRunId: 'temporal',
  start: { agent: 'agent', input: 'Go.' },
});

function signalled(state: LoopState, payload: unknown): LoopState {
  return apply(state, receivedSignal(state, payload, 0));
}

describe('messages by Signal', () => {
  it('are all received, whatever ids other senders use', () => {
    const id = fc.option(fc.constantFrom('signal-1', 'signal-2', 'signal-3', 'm'), {
      nil: undefined,
    });
    fc.assert(
      fc.property(fc.array(id, { maxLength: 12 }), (ids) => {
        const state = ids.reduce(
          (so, given) => signalled(so, { message: 'x', ...(given !== undefined && { id: given }) }),
          empty,
        );
        const own = new Set(ids.filter((given) => given !== undefined));
        const without = ids.filter((given) => given === undefined).length;
        // One that names an id which a Signal without one was given before is the same message to the run.
        expect(state.received).toBeGreaterThanOrEqual(without);
        expect(state.received).toBeLessThanOrEqual(without + own.size);
        expect(new Set(state.inbox.map((waiting) => waiting.id)).size).toBe(state.received);
        expect(state.refused).toBe(0);
      }),
    );
  });

  it('are refused, and counted, when they are none or too much waits already', () => {
    const refused = [undefined, null, 7, 'text', {}, { message: '' }, { message: [] }].reduce(
      (state: LoopState, payload) => signalled(state, payload),
      empty,
    );
    expect(refused).toMatchObject({ refused: 7, received: 0 });
    let full = empty;
    for (let n = 0; n < 1_000; n += 1) full = signalled(full, { id: `${n}`, message: 'x' });
    expect(isInboxFull(full)).toBe(true);
    expect(signalled(full, { id: 'more', message: 'x' })).toMatchObject({
      received: 1_000,
      refused: 1,
    });
    // Sent again, it is no further message.
    expect(signalled(full, { id: '999', message: 'x' })).toEqual(full);
  });
});
