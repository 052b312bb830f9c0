/** What the model sees of what a tool returned. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limitOutput, toToolOutput } from '../../src/activities/tool-output.ts';
import type { ToolContent } from '../../src/chat/tool-output.ts';
import { ToolOutput } from '../../src/chat/tool-output.ts';

const text = (words: string): ToolContent => ({ kind: 'text', text: words });
const image: ToolContent = {
  kind: 'media',
  media: { mime: 'image/png', source: { kind: 'bytes', bytes: 'AAAA' } },
};

function textsOf(output: ToolOutput): string[] {
  return (output.content ?? []).flatMap((part) => (part.kind === 'text' ? [part.text] : []));
}

describe('the output for a returned value', () => {
  it('is empty for nothing and for the empty text', () => {
    expect(toToolOutput(undefined)).toEqual({});
    expect(toToolOutput('')).toEqual({});
  });

  it('is text for a text, and details for a JSON value', () => {
    expect(toToolOutput(' ')).toEqual({ content: [text(' ')] });
    expect(toToolOutput({ a: [1, null] })).toEqual({ details: { a: [1, null] } });
    expect(toToolOutput(null)).toEqual({ details: null });
    expect(toToolOutput(0)).toEqual({ details: 0 });
    expect(toToolOutput({})).toEqual({ details: {} });
  });

  it('is the value itself when that is an output already', () => {
    const output = { content: [text('a'), image], details: { b: 1 } };

    expect(toToolOutput(output)).toBe(output);
  });

  it('takes an object for details when it has more members than an output, or other ones', () => {
    const value = { content: [text('a')], length: 1 };

    expect(toToolOutput(value)).toEqual({ details: value });
    expect(toToolOutput({ content: 'a' })).toEqual({ details: { content: 'a' } });
  });

  it('puts U+FFFD in the place of half a surrogate pair, wherever it stands', () => {
    expect(toToolOutput('a\ud83d')).toEqual({ content: [text('a\ufffd')] });
    expect(toToolOutput({ a: ['\ude00b'] })).toEqual({ details: { a: ['\ufffdb'] } });
    expect(toToolOutput({ content: [text('\ud83d')] })).toEqual({ content: [text('\ufffd')] });
  });

  it('falls back to text for numbers that JSON data cannot hold exactly', () => {
    expect(toToolOutput({ id: 2 ** 60 })).toEqual({ content: [text(`{"id":${2 ** 60}}`)] });
  });

  it('keeps something of values that JSON cannot say, because the tool has run', () => {
    const circle: Record<string, unknown> = { name: 'round' };
    circle['self'] = circle;

    for (const value of [circle, { big: 10n }, () => undefined]) {
      // @ts-expect-error: what untyped code may return
      expect(textsOf(toToolOutput(value)).join()).toMatch(/round|10n|Function/);
    }
  });

  it('is valid for every value', () => {
    fc.assert(
      fc.property(
        fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true }),
        (value) => {
          // @ts-expect-error: what untyped code may return
          expect(ToolOutput.safeParse(toToolOutput(value)).success).toBe(true);
        },
      ),
    );
  });
});

describe('the limit of an output', () => {
  it('leaves alone what fits', () => {
    for (const output of [{}, { details: 'abc' }, { content: [text('abcde'), image] }]) {
      expect(limitOutput(output, 5)).toBe(output);
    }
  });

  it('keeps head and tail and says how much is missing', () => {
    const [whole = ''] = textsOf(limitOutput({ content: [text('x'.repeat(1_000))] }, 200)).map(
      String,
    );
    const parts = textsOf(limitOutput({ content: [text(`a${'x'.repeat(998)}z`)] }, 200));

    expect(whole).toMatch(/^x+$/);
    expect(parts).toHaveLength(3);
    expect(parts[0]).toMatch(/^ax+$/);
    expect(parts[1]).toMatch(/^\n\[… \d+ of 1000 bytes left out: ask for a smaller part …\]\n$/);
    expect(parts[2]).toMatch(/^x+z$/);
  });

  it('turns details that are too long into text', () => {
    const texts = textsOf(limitOutput({ details: { list: 'y'.repeat(500) } }, 200));

    expect(texts[0]).toMatch(/^\{"list":"y+$/);
    expect(texts.at(-1)).toMatch(/^y+"\}$/);
  });

  it('keeps details beside content, unless history could not take them', () => {
    const small = { content: [text('x'.repeat(500))], details: { rows: 3 } };
    const large = { content: [text('short')], details: 'z'.repeat(1_100_000) };

    expect(limitOutput(small, 200).details).toEqual({ rows: 3 });
    expect(limitOutput(large, 200)).toEqual({ content: [text('short')] });
  });

  it('never keeps more than 1 MiB of text, whatever was asked for', () => {
    const texts = textsOf(limitOutput({ content: [text('x'.repeat(2 ** 21))] }, 2 ** 30));

    expect(Buffer.byteLength(texts.join(''))).toBeLessThanOrEqual(2 ** 20);
  });

  it('keeps media in its place among the texts that are left', () => {
    const { content = [] } = limitOutput(
      { content: [text('a'.repeat(300)), image, text('b'.repeat(300)), image] },
      200,
    );

    expect(content.map(({ kind }) => kind)).toEqual(['text', 'text', 'media', 'text', 'media']);
  });

  it('holds for any texts, on code points, with a count that is exact', () => {
    const texts = fc.array(fc.string({ unit: 'binary', minLength: 1, maxLength: 80 }), {
      minLength: 1,
      maxLength: 30,
    });
    fc.assert(
      fc.property(texts, fc.integer({ min: 90, max: 400 }), (given, maxBytes) => {
        const output = { content: given.map(text) };
        const total = Buffer.byteLength(given.join(''));
        const limited = limitOutput(output, maxBytes);
        const kept = textsOf(limited);

        expect(Buffer.byteLength(kept.join(''))).toBeLessThanOrEqual(maxBytes);
        expect(ToolOutput.safeParse(limited).success).toBe(true);
        if (total <= maxBytes) {
          expect(limited).toBe(output);
          return;
        }
        const note = kept.findIndex((part) => part.includes(' bytes left out'));
        const head = kept.slice(0, note).join('');
        const tail = kept.slice(note + 1).join('');
        const missing = total - Buffer.byteLength(head) - Buffer.byteLength(tail);
        expect(given.join('').startsWith(head)).toBe(true);
        expect(given.join('').endsWith(tail)).toBe(true);
        expect(kept[note]).toContain(`${missing} of ${total} bytes`);
      }),
    );
  });
});
