/** Lines from bytes in pieces. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineSplitter } from '../../../src/abilities/file-tools/line-splitter.ts';

function linesOf(bytes: Uint8Array, pieceLength: number, splitter = new LineSplitter(1_000)) {
  const lines = [];
  for (let start = 0; start < bytes.length; start += pieceLength) {
    lines.push(...splitter.push(bytes.subarray(start, start + pieceLength)));
  }
  return [...lines, ...splitter.end()];
}

describe('splitting bytes into lines', () => {
  it('gives the same lines however the bytes are cut into pieces', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '\n', '\r', '\r\n', 'é', '😀', '\ufffd') });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 5 }), (whole, pieceLength) => {
        const expected = whole.split(/\r?\n/);
        if (expected.at(-1) === '') expected.pop();
        const splitter = new LineSplitter(1_000);
        const lines = linesOf(Buffer.from(whole), pieceLength, splitter);

        expect(lines.map((line) => line.text)).toEqual(expected);
        expect(lines.map((line) => line.number)).toEqual(expected.map((_, index) => index + 1));
        expect(splitter.crlf).toBe(whole.includes('\r\n'));
        expect(splitter.replaced).toBe(false);
      }),
    );
  });

  it('cuts a long line on a code point and counts the rest', () => {
    const [line] = linesOf(Buffer.from(`abc😀def\n`), 3, new LineSplitter(4));

    expect(line).toEqual({ number: 1, text: 'abc', cut: 5 });
  });

  it('shows bytes that are no UTF-8 as U+FFFD and says so', () => {
    const splitter = new LineSplitter(10);

    expect(linesOf(Buffer.from('caf\xe9\nok', 'latin1'), 2, splitter)).toMatchObject([
      { text: 'caf\ufffd' },
      { text: 'ok' },
    ]);
    expect(splitter.replaced).toBe(true);
  });

  it('notices a character that the file does not finish', () => {
    const splitter = new LineSplitter(10);

    expect(linesOf(Buffer.from('é').subarray(0, 1), 1, splitter)).toMatchObject([
      { text: '\ufffd' },
    ]);
    expect(splitter.replaced).toBe(true);
  });
});
