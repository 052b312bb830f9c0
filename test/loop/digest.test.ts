import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chainDigest } from '../../src/loop/digest.ts';

describe('chainDigest', () => {
  it('is FNV-1a 64: the empty text leaves the offset basis', () => {
    expect(chainDigest('', '')).toBe('cbf29ce484222325');
  });

  it('gives the published value for "a", its code unit taken as two bytes', () => {
    // FNV-1a 64 of the bytes 61 00.
    expect(chainDigest('', 'a')).toBe('089be207b544f1e4');
  });

  it('chains: adding two texts one by one is adding them together', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(chainDigest(chainDigest('', a), b)).toBe(chainDigest('', a + b));
      }),
    );
  });

  it('tells texts apart, also in their high bytes', () => {
    expect(chainDigest('', 'a')).not.toBe(chainDigest('', '\u0161'));
  });
});
