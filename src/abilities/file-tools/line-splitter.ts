/** Splits bytes that arrive in pieces into lines of text. */
import { sliceText } from './cut-text.ts';

/** A line without its ending; `cut` is how many of its characters are not in `text`. */
export interface Line {
  readonly number: number;
  readonly text: string;
  readonly cut: number;
}

/** Reads UTF-8. Holds one line at most, and of that no more than `maxCharacters`, however long it is. */
export class LineSplitter {
  readonly #maxCharacters: number;
  readonly #decoder = new TextDecoder();
  readonly #strict = new TextDecoder('utf-8', { fatal: true });
  #valid = true;
  #crlf = false;
  #number = 0;
  #text = '';
  #length = 0;
  #carriage = false;

  constructor(maxCharacters: number) {
    this.#maxCharacters = maxCharacters;
  }

  /** Whether some bytes were no UTF-8 and are shown as U+FFFD. */
  get replaced(): boolean {
    return !this.#valid;
  }

  /** Whether a line ended with CR LF. */
  get crlf(): boolean {
    return this.#crlf;
  }

  /** The lines that these bytes complete. */
  *push(bytes: Uint8Array): Generator<Line> {
    this.#check(bytes, true);
    yield* this.#split(this.#decoder.decode(bytes, { stream: true }));
  }

  /** The last line, if it has no ending. */
  *end(): Generator<Line> {
    this.#check(new Uint8Array(), false);
    yield* this.#split(this.#decoder.decode());
    if (this.#carriage) this.#grow('\r');
    if (this.#length > 0) yield this.#take();
  }

  #check(bytes: Uint8Array, stream: boolean): void {
    if (!this.#valid) return;
    try {
      this.#strict.decode(bytes, { stream });
    } catch {
      this.#valid = false;
    }
  }

  *#split(text: string): Generator<Line> {
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      this.#append(text.slice(start, end));
      this.#crlf ||= this.#carriage;
      this.#carriage = false;
      yield this.#take();
      start = end + 1;
    }
    this.#append(text.slice(start));
  }

  /** A carriage return is held back until it is known whether a line feed follows. */
  #append(text: string): void {
    if (text === '') return;
    if (this.#carriage) this.#grow('\r');
    this.#carriage = text.endsWith('\r');
    this.#grow(this.#carriage ? text.slice(0, -1) : text);
  }

  #grow(text: string): void {
    this.#length += text.length;
    // One more than allowed is kept until the line is taken, so that the cut can see both halves of a character.
    const room = this.#maxCharacters + 1 - this.#text.length;
    if (room > 0) this.#text += text.slice(0, room);
  }

  #take(): Line {
    this.#number += 1;
    const text = sliceText(this.#text, 0, Math.min(this.#maxCharacters, this.#text.length));
    const line = { number: this.#number, text, cut: this.#length - text.length };
    this.#text = '';
    this.#length = 0;
    return line;
  }
}
