import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Message } from '../../src/chat/message.ts';
import { userMessageProblem } from '../../src/chat/user-message-problem.ts';

const texts = fc.constantFrom('Hello.', '', ' ', '\ud800', 'data:x', 'image/png', 'AAAA', 'A', '7');
const anything = fc.oneof(
  texts,
  fc.constantFrom<unknown>(undefined, null, 0, [], {}, 'text', 'media', 'bytes', 'uri', 'ref'),
);
const sources = fc.record(
  {
    kind: fc.constantFrom('bytes', 'uri', 'ref', 'blob', 'x'),
    bytes: anything,
    uri: anything,
    ref: anything,
    hash: fc.oneof(anything, fc.constant('0a'.repeat(32))),
    size: fc.constantFrom<unknown>(0, 7, -1, 0.5, '7', undefined),
  },
  { requiredKeys: ['kind'] },
);
const media = fc.record(
  { mime: texts, source: fc.oneof(sources, anything), name: anything, id: anything },
  { requiredKeys: ['mime', 'source'] },
);
const soundParts = fc.oneof(
  texts.map((text) => ({ kind: 'text', text })),
  fc.record({
    kind: fc.constant('media'),
    media: fc.record({
      mime: fc.constantFrom('image/png', 'text/plain; charset=utf-8', 'image'),
      source: fc.oneof(
        texts.map((bytes) => ({ kind: 'bytes', bytes })),
        texts.map((uri) => ({ kind: 'uri', uri })),
        texts.map((ref) => ({ kind: 'ref', ref })),
        fc.constantFrom(0, 7, -1).map((size) => ({ kind: 'blob', hash: '0a'.repeat(32), size })),
      ),
    }),
  }),
);
const oddParts = fc.record(
  {
    kind: fc.constantFrom('text', 'media', 'tool_call', 'x'),
    text: anything,
    media: fc.oneof(media, anything),
    metadata: anything,
  },
  { requiredKeys: ['kind'] },
);
const parts = fc.oneof({ weight: 3, arbitrary: soundParts }, oddParts);
const messages = fc.record(
  {
    role: fc.oneof({ weight: 4, arbitrary: fc.constant('user') }, anything),
    parts: fc.oneof({ weight: 9, arbitrary: fc.array(parts, { maxLength: 3 }) }, anything),
    metadata: anything,
  },
  { requiredKeys: ['role', 'parts'] },
);

function blob(source: object): unknown {
  const media = { mime: 'image/png', source: { kind: 'blob', ...source } };
  return { role: 'user', parts: [{ kind: 'media', media }] };
}

describe('userMessageProblem', () => {
  it('takes nothing that the schema refuses', () => {
    let taken = 0;
    fc.assert(
      fc.property(messages, (message) => {
        if (userMessageProblem(message) !== undefined) return;
        taken += 1;
        expect(Message.safeParse(message).success).toBe(true);
      }),
      { numRuns: 20_000 },
    );
    expect(taken).toBeGreaterThan(100);
  });

  it('takes text, images and documents from every source that a user has', () => {
    const text = { kind: 'text', text: 'Look.' };
    const image = {
      kind: 'media',
      media: { mime: 'image/png', source: { kind: 'bytes', bytes: 'AAAA' } },
    };
    const file = {
      mime: 'application/pdf',
      source: { kind: 'uri', uri: 'https://a.b/c' },
      name: 'c',
    };
    const document = { kind: 'media', media: file };
    const known = {
      kind: 'media',
      media: { mime: 'image/png', source: { kind: 'ref', ref: 'f1' } },
    };
    const stored = {
      kind: 'media',
      media: { mime: 'image/png', source: { kind: 'blob', hash: '0a'.repeat(32), size: 7 } },
    };
    const message = { role: 'user', parts: [text, image, document, known, stored] };
    expect(userMessageProblem(message)).toBeUndefined();
  });

  it.each([
    [null, 'must be text or a user message'],
    [{ role: 'assistant', parts: [] }, 'role: must be "user"'],
    [{ role: 'user', parts: [] }, 'parts: must hold at least one part'],
    [
      { role: 'user', parts: [{ kind: 'text', text: '' }] },
      'parts.0: text: must be well-formed text, not empty',
    ],
    [
      { role: 'user', parts: [{ kind: 'text', text: 'a', x: 1 }] },
      'parts.0: has a member "x" too many',
    ],
    [{ role: 'user', parts: [{ kind: 'tool_call' }] }, 'parts.0: kind: must be "text" or "media"'],
    [
      { role: 'user', parts: [{ kind: 'media', media: { mime: 'x', source: {} } }] },
      'parts.0: media.mime: must be a MIME type',
    ],
    [blob({ hash: '../0a', size: 7 }), 'parts.0: media.source: hash: must be a SHA-256'],
    [
      blob({ hash: '0a'.repeat(32), size: -1 }),
      'parts.0: media.source: size: must be a number of bytes',
    ],
    [
      blob({ hash: '0a'.repeat(32), size: 7, x: 1 }),
      'parts.0: media.source: has a member "x" too many',
    ],
  ])('says of %j: %s', (message, problem) => {
    expect(userMessageProblem(message)).toBe(problem);
  });
});
