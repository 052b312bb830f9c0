import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkSequencing } from '../../src/chat/check-sequencing.ts';
import type { Message } from '../../src/chat/message.ts';
import { toMessage } from '../../src/chat/to-message.ts';
import type { TranscriptMessage } from '../../src/chat/transcript-message.ts';
import { cutAfter, isWindowEnough } from '../../src/loop/cut-transcript.ts';
import { plans } from './plans.ts';
import { simulate } from './simulate.ts';

const numRuns = 1_000;
const createdAt = '2026-01-01T00:00:00Z';

const user = (text: string, id = text): TranscriptMessage => ({
  role: 'user',
  parts: [{ kind: 'text', text }],
  id,
  createdAt,
});
const assistant = (text: string, ...calls: readonly string[]): TranscriptMessage => ({
  role: 'assistant',
  parts: [
    { kind: 'text', text },
    ...calls.map((id) => ({
      kind: 'tool_call' as const,
      toolCall: { id, name: 'look', arguments: '{}' },
    })),
  ],
  id: text,
  createdAt,
});
const tool = (id: string): TranscriptMessage => ({
  role: 'tool',
  parts: [
    {
      kind: 'tool_result',
      toolResult: { id, name: 'look', output: { content: [{ kind: 'text', text: 'seen' }] } },
    },
  ],
  id: `result ${id}`,
  createdAt,
});

const talk = [
  user('Go.'),
  assistant('Looking.', 'a', 'b'),
  tool('a'),
  tool('b'),
  assistant('Again.', 'c'),
  tool('c'),
  assistant('Done.'),
];

describe('cutting a transcript', () => {
  it.each([
    [0, { keep: 1, last: 0, lastRole: 'user' }],
    [1, { keep: 4, last: 3, lastRole: 'tool' }],
    [2, { keep: 4, last: 3, lastRole: 'tool' }],
    [3, { keep: 4, last: 3, lastRole: 'tool' }],
    [5, { keep: 6, last: 5, lastRole: 'tool' }],
    [6, { keep: 7, last: 6, lastRole: 'assistant' }],
  ])('after message %i keeps calls and their results together', (at, cut) => {
    expect(cutAfter(talk, 0, at)).toEqual({ ...cut, rest: [] });
    // The same wherever the window begins.
    for (const first of [0, 1].filter((index) => index <= Math.max(0, at - 2))) {
      expect(cutAfter(talk.slice(first), first, at)).toEqual({ ...cut, rest: [] });
    }
  });

  it('goes back before calls whose results are not all there', () => {
    expect(cutAfter(talk.slice(0, 3), 0, 2)).toEqual({
      keep: 1,
      rest: [],
      last: 0,
      lastRole: 'user',
    });
    expect(cutAfter(talk.slice(0, 2), 0, 1)).toMatchObject({ keep: 1 });
  });

  it('with a text keeps the role, and of a result the call that it answers', () => {
    const cut = cutAfter(talk, 0, 2, 'not seen');
    expect(cut).toMatchObject({ keep: 2, last: 3, lastRole: 'tool' });
    if (!('keep' in cut)) throw new Error('no cut');
    const [edited, other] = cut.rest;
    expect(edited?.parts[0]).toMatchObject({
      kind: 'tool_result',
      toolResult: { id: 'a', output: { content: [{ text: 'not seen' }] } },
    });
    expect(other).toEqual(tool('b'));
    expect(cutAfter(talk, 0, 1, 'No need to look.')).toEqual({
      keep: 1,
      rest: [{ role: 'assistant', parts: [{ kind: 'text', text: 'No need to look.' }] }],
      last: 1,
      lastRole: 'assistant',
    });
  });

  it.each<[number, Message | string, string]>([
    [0, { role: 'assistant', parts: [{ kind: 'text', text: 'x' }] }, 'cannot become one of'],
    [1, toMessage(assistant('x', 'a')), 'tool calls cannot be changed'],
    [2, toMessage(tool('b')), 'results of the same tool calls'],
    [9, 'x', 'no message 9'],
  ])('at message %i refuses an edit that would break it', (at, edit, text) => {
    expect(cutAfter(talk, 0, at, edit)).toMatchObject({ text: expect.stringContaining(text) });
  });

  it('refuses to edit a result while others of its response are missing', () => {
    expect(cutAfter(talk.slice(0, 3), 0, 2, 'x')).toMatchObject({ kind: 'edit' });
  });

  it('anywhere in any run leaves what every provider accepts, edited or not', () => {
    const edit = fc.option(fc.constant('Something else.'), { nil: undefined });
    fc.assert(
      fc.property(plans, fc.nat(), edit, (plan, n, edited) => {
        const { messages, final } = simulate(plan);
        const whole = messages.slice(0, final.transcript.count);
        const at = n % whole.length;
        const cut = cutAfter(whole, 0, at, edited);
        if (!('keep' in cut)) throw new Error(cut.text);
        const kept: readonly Message[] = [...whole.slice(0, cut.keep).map(toMessage), ...cut.rest];
        expect(
          checkSequencing(kept.map((each) => ({ role: each.role, parts: each.parts }))),
        ).toEqual([]);
        expect(kept.length).toBe(cut.last + 1);
        expect(kept.at(-1)?.role).toBe(cut.lastRole);
      }),
      { numRuns },
    );
  });

  it('needs no more of a transcript than a window that is said to be enough', () => {
    fc.assert(
      fc.property(plans, fc.nat(), fc.integer({ min: 1, max: 6 }), (plan, n, around) => {
        const { messages, final } = simulate(plan);
        const whole = messages.slice(0, final.transcript.count);
        const at = n % whole.length;
        const first = Math.max(0, at - around);
        const window = whole.slice(first, at + around);
        if (!isWindowEnough(window, first, at, whole.length)) return;
        expect(cutAfter(window, first, at)).toEqual(cutAfter(whole, 0, at));
      }),
      { numRuns },
    );
  });
});
