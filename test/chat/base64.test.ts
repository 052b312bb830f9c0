/** Base64 and the protocol's white space. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBase64, decodeBase64, encodeBase64 } from '../../src/chat/base64.ts';
import { isBase64 } from '../../src/chat/is-base64.ts';
import { hasSurroundingSpace, isBlank } from '../../src/chat/white-space.ts';

describe('base64', () => {
  it('agrees with the platform in both directions', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const text = Buffer.from(bytes).toString('base64');
        expect(encodeBase64(bytes)).toBe(text);
        expect([...decodeBase64(text)]).toEqual([...bytes]);
        expect(isBase64(text)).toBe(true);
      }),
    );
  });

  it('concatenates bytes, not texts', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), (first, second) => {
        const joined = concatBase64(encodeBase64(first), encodeBase64(second));
        expect(joined).toBe(Buffer.from([...first, ...second]).toString('base64'));
      }),
    );
  });

  it.each(['A', 'AA', 'AAA', 'AB==', 'AAB=', 'A===', '====', 'AA==AAAA', 'A-_A', 'AAA\n', ' AAA'])(
    'refuses %j: unpadded, other alphabet, padding inside or stray bits',
    (text) => {
      expect(isBase64(text)).toBe(false);
    },
  );

  it('checks megabytes without exhausting the stack', () => {
    expect(isBase64('AAAA'.repeat(2_000_000))).toBe(true);
    expect(isBase64(`${'AAAA'.repeat(2_000_000)}AA-A`)).toBe(false);
  });
});

describe('white space', () => {
  it.each(['\t', '\n', '\v', '\f', '\r', ' ', '\u0085', '\u00a0', '\u2003', '\u2028', '\u3000'])(
    'counts %j as space',
    (space) => {
      expect([hasSurroundingSpace(`${space}x`), hasSurroundingSpace(`x${space}`)]).toEqual([
        true,
        true,
      ]);
      expect(hasSurroundingSpace(`x${space}x`)).toBe(false);
      expect(isBlank(space)).toBe(true);
    },
  );

  it.each(['\ufeff', '\u200b', '\u180e', '\u001c'])('does not count %j as space', (text) => {
    expect(hasSurroundingSpace(text)).toBe(false);
    expect(isBlank(text)).toBe(false);
  });
});
