import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cutBytes, cutText } from '../../src/loop/cut-text.ts';

const text = fc.string({ unit: 'binary', maxLength: 300 });

it('cuts text to a length, and never within a code point', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 100 }), (given, length) => {
      const cut = cutText(given, length);
      expect(cut.length).toBeLessThanOrEqual(length);
      if (given.length <= length) expect(cut).toBe(given);
      if (given.isWellFormed()) expect(cut.isWellFormed()).toBe(true);
    }),
  );
});

it('cuts text to bytes of JSON, escapes and wide characters counted, and no more than it must', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 10, max: 400 }), (given, bytes) => {
      const size = (said: string) => Buffer.byteLength(JSON.stringify(said)) - 2;
      const cut = cutBytes(given, bytes);
      expect(size(cut)).toBeLessThanOrEqual(bytes);
      if (size(given) <= bytes) expect(cut).toBe(given);
      else expect(size(cutText(given, cut.length + 2))).toBeGreaterThan(bytes - 8);
    }),
  );
});
