/** A transcript as text: nothing is cut without being counted. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { TranscriptMessage } from '../../src/chat/transcript-message.ts';
import { formatMessage } from '../../src/cli/format-transcript.ts';

function saying(...texts: string[]): TranscriptMessage {
  return {
    id: 'm',
    createdAt: '2026-01-01T00:00:00.000Z',
    role: 'assistant',
    parts: texts.map((text) => ({ kind: 'text', text })),
  };
}

it('a short message is shown whole, and nothing is said to be hidden', () => {
  const { lines, hidden } = formatMessage(saying('one', 'two\nthree'), false);
  expect(lines).toEqual(['assistant:', '  one', '  two', '  three']);
  expect(hidden).toBe(0);
});

it('what is not shown is counted, whatever the texts', () => {
  const texts = fc.array(fc.string({ minLength: 1, maxLength: 1_000 }).map((s) => `x${s}`));
  fc.assert(
    fc.property(texts, (all) => {
      const plain = all.map((text) => text.replaceAll(/[^ -~]/g, '-'));
      const { lines, hidden } = formatMessage(saying(...plain), false);
      const shown = lines.slice(1).reduce((sum, line) => sum + line.length - '  '.length, 0);
      expect(shown + hidden).toBe(plain.join('').length);
      expect(formatMessage(saying(...plain), true).hidden).toBe(0);
    }),
  );
});

it('thoughts are hidden until all is asked for', () => {
  const message: TranscriptMessage = {
    ...saying(),
    parts: [{ kind: 'reasoning', text: 'Hm.' }],
  };
  expect(formatMessage(message, false)).toEqual({ lines: ['assistant:'], hidden: 3 });
  expect(formatMessage(message, true).lines).toEqual(['assistant:', '  (thinks) Hm.']);
});

it('media are told by what they are, and marks go beside who speaks', () => {
  const media = {
    mime: 'image/png',
    name: 'a.png',
    source: { kind: 'blob', hash: 'h', size: 12_345 },
  } as const;
  const message: TranscriptMessage = {
    ...saying(),
    inherited: true,
    partial: true,
    parts: [{ kind: 'media', media }],
  };
  expect(formatMessage(message, false)).toEqual({
    lines: ['assistant (inherited, cut off):', '  [image/png a.png, 12 KB]'],
    hidden: 0,
  });
});
