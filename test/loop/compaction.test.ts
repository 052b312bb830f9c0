import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkSequencing } from '../../src/chat/check-sequencing.ts';
import type { Message } from '../../src/chat/message.ts';
import { cutOf } from '../../src/loop/compaction.ts';

/** Conversations in which every call has its result, in order. */
const conversations = fc
  .array(
    fc.record({
      calls: fc.nat({ max: 3 }),
      size: fc.nat({ max: 300 }),
      asks: fc.boolean(),
    }),
    { minLength: 1, maxLength: 20 },
  )
  .map((rounds): Message[] =>
    rounds.flatMap(({ calls, size, asks }, round): Message[] => {
      const text = (role: Message['role']) => ({
        role,
        parts: [{ kind: 'text' as const, text: 'x'.repeat(size + 1) }],
      });
      const ids = Array.from({ length: calls }, (_, index) => `c${round}-${index}`);
      return [
        ...(asks || round === 0 ? [text('user')] : []),
        {
          role: 'assistant',
          parts: [
            ...text('assistant').parts,
            ...ids.map((id) => ({
              kind: 'tool_call' as const,
              toolCall: { id, name: 't', arguments: '{}' },
            })),
          ],
        },
        ...ids.map(
          (id): Message => ({
            role: 'tool',
            parts: [
              {
                kind: 'tool_result',
                toolResult: {
                  id,
                  name: 't',
                  output: { content: [{ kind: 'text', text: 'y'.repeat(size + 1) }] },
                },
              },
            ],
          }),
        ),
      ];
    }),
  );

describe('where a conversation is cut', () => {
  it('never parts a call from its result, folds something, and keeps something', () => {
    fc.assert(
      fc.property(
        conversations,
        fc.double({ min: 0.05, max: 0.9, noNaN: true }),
        (messages, keep) => {
          const cut = cutOf(messages, 0, keep);
          if (cut === undefined) {
            // Nothing but one message with its results.
            expect(messages.slice(1).every(({ role }) => role === 'tool')).toBe(true);
            return;
          }
          expect(cut).toBeGreaterThan(0);
          expect(cut).toBeLessThan(messages.length);
          const summary: Message = { role: 'user', parts: [{ kind: 'text', text: 'Summary.' }] };
          expect(checkSequencing([summary, ...messages.slice(cut)])).toEqual([]);
          expect(checkSequencing(messages.slice(0, cut))).toEqual([]);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('keeps about as much as it should', () => {
    const messages = Array.from(
      { length: 100 },
      (_, index): Message => ({
        role: index % 2 === 0 ? 'user' : 'assistant',
        parts: [{ kind: 'text', text: 'z'.repeat(1_000) }],
      }),
    );
    expect(cutOf(messages, 0, 0.2)).toBe(80);
    expect(cutOf(messages, 50, 0.2)).toBe(90);
  });
});
