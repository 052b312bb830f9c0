/** Shows a long text by lines, a page at a time. Lines that are too long for that count as several. */

/** Characters of a page, about 8,000 tokens of English text. */
export const maxPageCharacters = 30_000;

/** Of one line, so that a page holds a good number of them: JSON text, for one, is often a single line. */
const maxLineCharacters = 2_000;

/** Lines `first` to `last`, counted from 1, of the whole text's `lines`. */
export interface TextPage {
  readonly text: string;
  readonly first: number;
  readonly last: number;
  readonly lines: number;
}

/** As many lines from `first` on as fit on a page, `limit` at most; none when the text has fewer lines. */
export function pageOf(whole: string, first: number, limit: number): TextPage {
  let lines = 0;
  let last = first - 1;
  let text = '';
  let isFull = false;
  for (const line of linesOf(whole)) {
    lines += 1;
    isFull ||= last - first + 1 === limit || text.length + line.length > maxPageCharacters;
    if (lines < first || isFull) continue;
    text += line;
    last = lines;
  }
  return { text, first, last, lines };
}

/** Lines with their endings; joined they are the text. */
function* linesOf(text: string): Generator<string> {
  let start = 0;
  while (start < text.length) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline + 1;
    while (end - start > maxLineCharacters) {
      const cut = codePointBefore(text, start + maxLineCharacters);
      yield text.slice(start, cut);
      start = cut;
    }
    yield text.slice(start, end);
    start = end;
  }
}

/** The nearest index at or before `index` that does not split a character of two code units. */
function codePointBefore(text: string, index: number): number {
  return /[\uD800-\uDBFF]/.test(text.charAt(index - 1)) ? index - 1 : index;
}
