/** Which calls and results belong together, and how they are put right. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkSequencing } from '../../src/chat/check-sequencing.ts';
import { assistantMessage, toolMessage, userMessage } from '../../src/chat/create-message.ts';
import { textPart, toolCallPart, toolResultPart } from '../../src/chat/create-part.ts';
import { textOutput } from '../../src/chat/create-tool-output.ts';
import type { Message } from '../../src/chat/message.ts';
import { Message as MessageSchema } from '../../src/chat/message.ts';
import { repair } from '../../src/chat/repair.ts';
import type { TranscriptMessage } from '../../src/chat/transcript-message.ts';
import { validate } from '../../src/chat/validate.ts';
import { spokenMessage } from './arbitraries.ts';

const user = userMessage('hi');
const calls = (...ids: string[]) =>
  assistantMessage(ids.map((id) => toolCallPart({ id, name: 'f' })));
const answer = (id: string, text = id) => ({ id, name: 'f', output: textOutput(text) });
const result = (id: string, text?: string) => toolMessage(answer(id, text));
const missing = (id: string) =>
  toolMessage({ ...answer(id, '(missing tool result)'), isError: true });
const found = (messages: readonly Message[]) =>
  checkSequencing(messages).map(({ problem, ids, path }) => [problem, ids.join(' '), path]);

describe('checking the sequence', () => {
  it.each([
    ['no calls', [user, assistantMessage('x'), user]],
    [
      'a result per message',
      [user, calls('a', 'b'), result('a'), result('b'), assistantMessage('x')],
    ],
    [
      'results in one message',
      [
        calls('a', 'b'),
        { role: 'tool' as const, parts: [answer('a'), answer('b')].map(toolResultPart) },
      ],
    ],
    ['text after a call', [assistantMessage([...calls('a').parts, textPart('x')]), result('a')]],
  ])('finds nothing wrong with %s', (_, messages) => {
    expect(found(messages)).toEqual([]);
  });

  it('names exactly the calls without a result', () => {
    expect(found([user, calls('a', 'b'), result('a')])).toEqual([
      ['unanswered_call', 'b', 'messages[1]'],
    ]);
  });

  it('names results without a call', () => {
    expect(found([user, result('zz')])).toEqual([['orphan_result', 'zz', 'messages[1]']]);
    expect(found([result('a'), calls('a')])).toEqual([
      ['unanswered_call', 'a', 'messages[1]'],
      ['orphan_result', 'a', 'messages[0]'],
    ]);
  });

  it('names a second result of a call', () => {
    expect(found([calls('a'), result('a'), result('a')])).toEqual([
      ['duplicate_result', 'a', 'messages[2]'],
    ]);
  });

  it('names results that do not directly follow their calls', () => {
    expect(found([calls('a'), user, result('a')])).toEqual([
      ['misplaced_result', 'a', 'messages[0]'],
    ]);
  });

  it('names results out of order', () => {
    expect(found([calls('a', 'b', 'c'), result('b'), result('c'), result('a')])).toEqual([
      ['result_order', 'b c', 'messages[0]'],
    ]);
  });

  it('tells ids that repeat in one message from ids that an earlier message used', () => {
    expect(found([calls('a', 'a'), result('a'), result('a')])).toEqual([
      ['duplicate_call', 'a', 'messages[0]'],
    ]);
    expect(found([calls('a'), result('a'), calls('a'), result('a')])).toEqual([
      ['reused_call_id', 'a', 'messages[2]'],
    ]);
  });

  it('pairs a result with the nearest call of its id', () => {
    expect(found([calls('a'), user, calls('a'), result('a')])).toEqual([
      ['unanswered_call', 'a', 'messages[0]'],
      ['reused_call_id', 'a', 'messages[2]'],
    ]);
  });

  it('says in words what is wrong', () => {
    expect(checkSequencing([calls('a', 'b')])[0]?.message).toBe('calls without a result: a, b');
  });
});

describe('repairing', () => {
  it('returns what is right untouched', () => {
    const messages = [user, calls('a'), result('a')];
    expect(repair(messages)).toEqual({ messages, repairs: [] });
    expect(repair(messages).messages).toBe(messages);
  });

  it('fills in missing results, and keeps the real ones', () => {
    const messages = [user, calls('a', 'b'), result('b'), user];
    const repaired = repair(messages);
    expect(repaired.messages).toEqual([user, calls('a', 'b'), missing('a'), result('b'), user]);
    expect(repaired.repairs).toEqual([{ action: 'added_result', id: 'a' }]);
    expect(repaired.messages[3]).toBe(messages[2]);
  });

  it('removes results without a call and second results', () => {
    const { messages, repairs } = repair([
      result('z'),
      calls('a'),
      result('a', 'x'),
      result('a', 'y'),
    ]);
    expect(messages).toEqual([calls('a'), result('a', 'x')]);
    expect(repairs).toEqual([
      { action: 'removed_result', id: 'z' },
      { action: 'removed_result', id: 'a' },
    ]);
  });

  it('moves results to their calls, also those that came before', () => {
    const { messages, repairs } = repair([result('b'), calls('a', 'b'), user, result('a')]);
    expect(messages).toEqual([calls('a', 'b'), result('a'), result('b'), user]);
    expect(repairs).toEqual([
      { action: 'moved_result', id: 'a' },
      { action: 'moved_result', id: 'b' },
    ]);
  });

  it('renames repeated calls together with their results', () => {
    const { messages, repairs } = repair([
      calls('a'),
      result('a', '1'),
      calls('a', 'a_2'),
      result('a', '2'),
      result('a_2', '3'),
    ]);
    expect(messages).toEqual([
      calls('a'),
      result('a', '1'),
      calls('a_3', 'a_2'),
      result('a_3', '2'),
      result('a_2', '3'),
    ]);
    expect(repairs).toEqual([{ action: 'renamed_call', id: 'a', newId: 'a_3' }]);
  });

  it('splits a message of results that needs a change, keeping its metadata', () => {
    const both: Message = {
      role: 'tool',
      parts: [answer('b'), answer('a')].map(toolResultPart),
      metadata: { 'x/y': 1 },
    };
    expect(repair([calls('a', 'b'), both]).messages.slice(1)).toEqual([
      { ...result('a'), metadata: { 'x/y': 1 } },
      { ...result('b'), metadata: { 'x/y': 1 } },
    ]);
  });

  it('has what it writes and changes adopted, and nothing else', () => {
    const stored = (message: Message, id: string): TranscriptMessage => ({
      ...message,
      id,
      createdAt: '2026-01-01T00:00:00Z',
    });
    const transcript = [
      stored(calls('a', 'a'), 'm1'),
      stored(result('a'), 'm2'),
      stored(user, 'm3'),
    ];
    const { messages } = repair(transcript, (message, origin) =>
      stored(message, `${origin?.id ?? 'new'}+`),
    );
    expect(messages.map(({ id }) => id)).toEqual(['m1+', 'm2', 'new+', 'm3']);
    expect(messages[1]).toBe(transcript[1]);
  });

  it('gives a sequence without findings, once and for all, and loses nothing else', () => {
    fc.assert(
      fc.property(fc.array(spokenMessage, { maxLength: 8 }), (messages) => {
        const before = structuredClone(messages);
        const { messages: repaired } = repair(messages);
        expect(checkSequencing(repaired)).toEqual([]);
        expect(repair(repaired)).toEqual({ messages: repaired, repairs: [] });
        expect(repaired.map((message) => validate(MessageSchema, message))).toHaveLength(
          repaired.length,
        );
        const spoken = (list: readonly Message[]) =>
          list.filter(({ role }) => role !== 'tool').map(({ role, parts }) => [role, parts.length]);
        expect(spoken(repaired)).toEqual(spoken(messages));
        expect(messages).toEqual(before);
      }),
      { numRuns: 500 },
    );
  });
});
