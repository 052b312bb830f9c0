/** Foreign text in a Markdown document: it is read as it was meant, and reaches no further than its place. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codeSpan, escaped, fenced, isWebAddress, quoted } from '../../src/cli/markdown.ts';

/** Texts made of what Markdown and HTML are made of. */
const hostile = fc
  .array(
    fc.constantFrom(
      '```',
      '````',
      '~~~',
      '`',
      '\n',
      '\n\n',
      '\r\n',
      ' ',
      '   ',
      '\t',
      '- ',
      '> ',
      '1. ',
      '# ',
      'a',
      '<script>',
      '</details>',
      '<!--',
      '-->',
      '<',
      '>',
      '![x](https://a.example/b)',
      '[x]: /y',
      '\\',
      '\u001b[2J',
      '\u0000',
      '\ud800',
    ),
    { maxLength: 30 },
  )
  .map((pieces) => pieces.join(''));

describe('quoted', () => {
  it('keeps every line of any text in the quote', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const lines = quoted(text).split('\n');
        expect(lines.every((line) => line === '>' || line.startsWith('> '))).toBe(true);
      }),
    );
  });

  it('leaves tags and images only where a fence at the first column is open, with no other fence before it', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        let fence = '';
        for (const line of quoted(text)
          .split('\n')
          .map((each) => each.slice(2))) {
          if (fence === '') {
            const [, open = ''] = /^(`{3,}(?=[^`]*$)|~{3,})/.exec(line) ?? [];
            if (open === '') expect(line).not.toMatch(/<[a-z/!?]|!\[/i);
            fence = open;
          } else if (/^ {0,3}(`+|~+)\s*$/.test(line) && line.trim().startsWith(fence)) fence = '';
        }
      }),
    );
  });

  it.each([
    ['# Big *news*', '> # Big *news*'],
    ['a < b, x<y and 1<2', '> a < b, x&lt;y and 1<2'],
    ['</blockquote><b>', '> &lt;/blockquote>&lt;b>'],
    ['\\<b>', '> \\&lt;b>'],
    ['![x](https://a.example/track)', '> &#33;[x](https://a.example/track)'],
    ['```html\n<b>\n```\n<b>', '> ```html\n> <b>\n> ```\n> &lt;b>'],
    ['```\n<b>\n~~~\n````\n<b>', '> ```\n> <b>\n> ~~~\n> ````\n> &lt;b>'],
    ['```\nnever closed <b>', '> ```\n> never closed <b>'],
    ['one\r\n\r\ntwo', '> one\n>\n> two'],
    // Whether the second line opens a fence depends on whether the first one did.
    ['  ```\n```\n<b>', '>   ```\n> ```\n> &lt;b>'],
    ['- ```\n```\n<b>', '> - ```\n> ```\n> &lt;b>'],
    ['```a`b\n<b>', '> ```a`b\n> &lt;b>'],
  ])('shows %j as it was meant', (text, markdown) => {
    expect(quoted(text)).toBe(markdown);
  });
});

describe('fenced', () => {
  it('has a fence that is longer than any in the text, whatever the text', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const lines = fenced(text).split('\n');
        const fence = lines[0] ?? '';
        expect(fence).toMatch(/^`{3,}$/);
        expect(lines.at(-1)).toBe(fence);
        expect(lines.slice(1, -1).join('\n')).not.toContain(fence);
      }),
    );
  });
});

describe('text in a line', () => {
  it.each([
    ['add', '`add`'],
    ['a`b', '``a`b``'],
    ['`', '`` ` ``'],
    ['two\nlines', '`two lines`'],
    ['', '` `'],
  ])('%j as code is %j', (text, markdown) => {
    expect(codeSpan(text)).toBe(markdown);
  });

  it.each([
    ['Fix #12 in a_b (v1.2)', 'Fix \\#12 in a\\_b (v1.2)'],
    ['<img src=x>\n# two', '\\<img src=x\\> \\# two'],
    ['[x](y) ![z](w)', '\\[x\\](y) \\!\\[z\\](w)'],
  ])('%j without any markup is %j', (text, markdown) => {
    expect(escaped(text)).toBe(markdown);
  });

  it.each([
    ['https://a.example/b?c=d', true],
    ['javascript:alert(1)', false],
    ['https://a.example/> [x](y)', false],
    ['data:image/png;base64,AAAA', false],
  ])('%j can be a link: %s', (uri, can) => {
    expect(isWebAddress(uri)).toBe(can);
  });
});
