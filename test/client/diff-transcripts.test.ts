/** Where two transcripts part, by what is said in them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { imagePart, reasoningPart, textPart } from '../../src/chat/create-part.ts';
import type { Part } from '../../src/chat/part.ts';
import type { TranscriptMessage } from '../../src/chat/transcript-message.ts';
import { diffTranscripts } from '../../src/client/diff-transcripts.ts';
import { blobHash } from '../../src/storage/blob-store.ts';

let made = 0;

/** A message that nothing but what it says has in common with any other. */
function message(
  role: TranscriptMessage['role'],
  said: string | readonly Part[],
  more: Partial<TranscriptMessage> = {},
): TranscriptMessage {
  made += 1;
  const createdAt = new Date(made * 1_000).toISOString();
  const parts = typeof said === 'string' ? [textPart(said)] : [...said];
  return { role, parts, id: `message-${made}`, createdAt, ...more };
}

/** The kinds of what comes after the common beginning, with the texts of either side. */
function shapeOf(a: readonly TranscriptMessage[], b: readonly TranscriptMessage[]) {
  const { common, rest } = diffTranscripts(a, b);
  const shape = rest.map((entry) => {
    if (entry.kind === 'only-a') return [entry.kind, entry.a.index];
    if (entry.kind === 'only-b') return [entry.kind, entry.b.index];
    return [entry.kind, entry.a.index, entry.b.index];
  });
  return { common, shape };
}

const call = (id: string, input: string): Part => ({
  kind: 'tool_call',
  toolCall: { id, name: 'look', arguments: input },
});
const result = (id: string, details: number): Part => ({
  kind: 'tool_result',
  toolResult: { id, name: 'look', output: { details } },
});

describe('transcripts that say the same', () => {
  it('have everything in common, whatever their ids and times', () => {
    const side = (id: string) => [
      message('user', 'Look.'),
      message('assistant', [call(id, '{"at":1}')]),
      message('tool', [result(id, 7)]),
      message('assistant', 'Seven.'),
    ];
    expect(diffTranscripts(side('one'), side('two'))).toEqual({ common: 4, rest: [] });
  });

  it('may be inherited on one side', () => {
    const a = [message('user', 'Look.')];
    const b = [message('user', 'Look.', { inherited: true })];
    expect(diffTranscripts(a, b)).toEqual({ common: 1, rest: [] });
  });

  it("may carry different notes of the provider's, and another sealed state of the same thoughts", () => {
    const thinking = (state: string) => [reasoningPart('Hm.', state), textPart('Yes.')];
    const a = [
      message('assistant', thinking('YQ=='), { metadata: { 'openai/item_id': 'msg_1', mood: 1 } }),
    ];
    const b = [
      message('assistant', thinking('Yg=='), { metadata: { mood: 1, 'openai/item_id': 'msg_2' } }),
    ];
    expect(diffTranscripts(a, b)).toEqual({ common: 1, rest: [] });
  });

  it('may have the same image here in the message and there in the blob store', () => {
    const bytes = Buffer.from('an image');
    const inline = imagePart('image/png', { kind: 'bytes', bytes: bytes.toString('base64') });
    const source = { kind: 'blob' as const, hash: blobHash(bytes), size: bytes.byteLength };
    const a = [message('user', [inline])];
    const b = [message('user', [imagePart('image/png', source)])];
    expect(diffTranscripts(a, b).rest).toEqual([]);
  });
});

describe('transcripts that part', () => {
  it.each<[string, TranscriptMessage, TranscriptMessage]>([
    ['another text', message('user', 'a'), message('user', 'b')],
    ['own metadata', message('user', 'a', { metadata: { x: 1 } }), message('user', 'a')],
    ['a cut-off answer', message('assistant', 'a', { partial: true }), message('assistant', 'a')],
    [
      'other arguments',
      message('assistant', [call('c', '1')]),
      message('assistant', [call('c', '2')]),
    ],
    ['another result', message('tool', [result('c', 1)]), message('tool', [result('c', 2)])],
  ])('part at %s', (_, a, b) => {
    const before = [message('user', 'Hi.'), message('assistant', 'Hello.')];
    expect(shapeOf([...before, a], [...before, b])).toEqual({
      common: 2,
      shape: [['changed', 2, 2]],
    });
  });

  it('tell a result of null from none', () => {
    const output = (details?: null): Part => ({
      kind: 'tool_result',
      toolResult: { id: 'c', name: 'look', output: details === undefined ? {} : { details } },
    });
    expect(shapeOf([message('tool', [output()])], [message('tool', [output(null)])]).shape).toEqual(
      [['changed', 0, 0]],
    );
  });

  it('are aligned again where they say the same once more', () => {
    const shared = () => [message('user', 'Go on.'), message('assistant', 'Done.')];
    const a = [message('user', 'Hi.'), message('assistant', 'One.'), ...shared()];
    const b = [
      message('user', 'Hi.'),
      message('assistant', 'Two.'),
      message('user', 'Really?'),
      ...shared(),
      message('user', 'Thanks.'),
    ];
    expect(shapeOf(a, b)).toEqual({
      common: 1,
      shape: [
        ['changed', 1, 1],
        ['only-b', 2],
        ['same', 2, 3],
        ['same', 3, 4],
        ['only-b', 5],
      ],
    });
  });

  it('take nothing for a change that another role says', () => {
    const a = [message('assistant', 'One.')];
    const b = [message('user', 'Two.'), message('assistant', 'Three.')];
    expect(shapeOf(a, b).shape).toEqual([
      ['only-b', 0],
      ['changed', 0, 1],
    ]);
    expect(shapeOf(a, [message('user', 'Two.')]).shape).toEqual([
      ['only-a', 0],
      ['only-b', 0],
    ]);
  });

  it('are paired in order when they have too little in common to look for it', () => {
    const side = (name: string) =>
      Array.from({ length: 1_500 }, (_, index) => message('user', `${name} ${index}`));
    const { common, rest } = diffTranscripts(side('a'), side('b'));
    expect(common).toBe(0);
    expect(rest).toHaveLength(1_500);
    expect(rest.every(({ kind }) => kind === 'changed')).toBe(true);
  });

  it('keep every message of both sides, once and in order', () => {
    const texts = fc.array(
      fc.tuple(fc.constantFrom('user', 'assistant'), fc.constantFrom(...'abc')),
    );
    fc.assert(
      fc.property(texts, texts, (left, right) => {
        const [a, b] = [left, right].map((side) =>
          side.map(([role, text]) => message(role as 'user' | 'assistant', text)),
        ) as [TranscriptMessage[], TranscriptMessage[]];
        const { common, rest } = diffTranscripts(a, b);
        const ofA = rest.flatMap((entry) => (entry.kind === 'only-b' ? [] : [entry.a.message]));
        const ofB = rest.flatMap((entry) => (entry.kind === 'only-a' ? [] : [entry.b.message]));
        expect([...a.slice(0, common), ...ofA]).toEqual(a);
        expect([...b.slice(0, common), ...ofB]).toEqual(b);
        expect(rest.length === 0).toBe(JSON.stringify(left) === JSON.stringify(right));
        expect(rest[0]?.kind).not.toBe('same');
      }),
    );
  });
});
