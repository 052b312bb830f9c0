/** How much one result of a file tool says: enough to work with, little enough to leave room for the conversation. */

/** Characters of one result, about 10,000 tokens of English text or code. */
export const maxCharacters = 40_000;

/** Above any page with its notes, at four bytes a character: a page is cut by its tool, which can say how to go on. */
export const maxPageBytes = 4 * maxCharacters + 16 * 1024;

/** Lines that fit on a page of `maxLines`. */
export class Page {
  readonly #lines: string[] = [];
  readonly #maxLines: number;
  #left = maxCharacters;

  constructor(maxLines: number) {
    this.#maxLines = maxLines;
  }

  /** Adds the line, or answers false when the page is full. */
  add(line: string): boolean {
    if (this.#lines.length >= this.#maxLines || line.length + 1 > this.#left) return false;
    this.#lines.push(line);
    this.#left -= line.length + 1;
    return true;
  }

  get length(): number {
    return this.#lines.length;
  }

  /** The page, or `empty` when it has no line, and below it the notes in brackets. */
  text(empty: string, notes: readonly string[]): string {
    const lines = this.#lines.length === 0 ? [empty] : this.#lines;
    return [...lines, ...notes.map((note) => `[${note}]`)].join('\n');
  }
}

/** A few notes of many, each once. */
export function someOf(notes: readonly string[]): readonly string[] {
  const different = [...new Set(notes)];
  const shown = different.slice(0, maxNotes);
  const more = different.length - shown.length;
  return more === 0 ? shown : [...shown, `and ${more} more notes like these`];
}

const maxNotes = 5;
