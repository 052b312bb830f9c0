import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/chat/message.ts';
import { withUniqueCallIds } from '../../src/loop/call-ids.ts';

function calling(...ids: readonly string[]): Message {
  return {
    role: 'assistant',
    parts: ids.map((id) => ({
      kind: 'tool_call' as const,
      toolCall: { id, name: 'a', arguments: '{}' },
    })),
  };
}

function idsAfter(message: Message, taken: readonly string[] = []): readonly string[] {
  return withUniqueCallIds(message, new Set(taken)).parts.flatMap((part) =>
    part.kind === 'tool_call' ? [part.toolCall.id] : [],
  );
}

describe('withUniqueCallIds', () => {
  it('leaves good ids and the message itself as they are', () => {
    const message = calling('call_1', 'toolu_01A-b');
    expect(withUniqueCallIds(message, new Set(['other']))).toBe(message);
  });

  it('gives a repeated id a suffix, within a response and across the transcript', () => {
    expect(idsAfter(calling('c', 'c', 'c'))).toEqual(['c', 'c_2', 'c_3']);
    expect(idsAfter(calling('c'), ['c', 'c_2'])).toEqual(['c_3']);
  });

  it('renames ids that name other Activities, or that no provider takes back', () => {
    expect(idsAfter(calling('model', 'compact', 'a/b', '', 'ü'))).toEqual([
      'call_model',
      'call_compact',
      'call_a_b',
      'call_',
      'call__',
    ]);
  });

  it('always gives usable, unique ids, whatever came', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'binary', maxLength: 90 }), { maxLength: 8 }),
        fc.array(fc.string({ maxLength: 70 }), { maxLength: 4 }),
        (ids, taken) => {
          const result = idsAfter(calling(...ids), taken);
          expect(new Set([...result, ...taken]).size).toBe(result.length + new Set(taken).size);
          for (const id of result) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        },
      ),
    );
  });
});
