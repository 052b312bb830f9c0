/** A prompt on the last line of a person's terminal; what is written meanwhile goes above it. */
import { clearScreenDown, cursorTo } from 'node:readline';
import type { Interface } from 'node:readline/promises';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { OutputStream, Terminal } from './terminal.ts';
import { styled } from './terminal.ts';

/** What became of a question: a line; or it was taken back; or the person wants to leave, or types no more. */
export type Reply =
  | { readonly kind: 'said'; readonly text: string }
  | { readonly kind: 'closed' | 'interrupted' | 'ended' };

/** How a question is put. */
interface Question {
  readonly text: string;
  /** What stands there to be changed. */
  readonly draft?: string;
  /** Takes the question back. */
  readonly signal: AbortSignal;
}

/** A terminal with a prompt. */
export interface PromptLine {
  /** The terminal as everybody else is to use it: written above the prompt, interrupted also by Ctrl-C at it. */
  readonly terminal: Terminal;
  /** Contract: one question at a time. */
  ask(question: Question): Promise<Reply>;
}

/** Whether a person can be asked there. */
export function canAsk({ stdin, stderr }: Pick<Terminal, 'stdin' | 'stderr'>): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** Makes the prompt of a terminal at which a person can be asked. */
export function createPromptLine(terminal: Terminal): PromptLine {
  const { stdin, stderr, interrupted } = terminal;
  const left = new AbortController();
  const stdoutAbove = new Above(terminal.stdout, stderr);
  const stderrAbove = new Above(stderr, stderr);
  const outputs = [stdoutAbove, stderrAbove];

  return {
    terminal: {
      ...terminal,
      stdout: stdoutAbove,
      stderr: stderrAbove,
      interrupted: AbortSignal.any([interrupted, left.signal]),
    },
    async ask({ text, draft = '', signal }) {
      const prompt = createInterface({ input: stdin, output: stderr, terminal: true });
      const gone = new AbortController();
      // The prompt takes Ctrl-C for itself.
      prompt.once('SIGINT', () => {
        left.abort();
        gone.abort();
      });
      prompt.once('close', () => gone.abort());
      for (const output of outputs) output.prompt = prompt;
      try {
        const all = AbortSignal.any([signal, interrupted, gone.signal]);
        const asked = prompt.question(`${styled(stderr, 'bold', text)} `, { signal: all });
        if (draft !== '') prompt.write(draft);
        return { kind: 'said', text: (await asked).trim() };
      } catch (error) {
        const isTakenBack = signal.aborted || interrupted.aborted;
        if (!isTakenBack && !gone.signal.aborted) throw error;
        clearLine(stderr);
        if (isTakenBack) return { kind: 'closed' };
        return { kind: left.signal.aborted ? 'interrupted' : 'ended' };
      } finally {
        prompt.close();
        for (const output of outputs) output.prompt = undefined;
      }
    },
  };
}

/** Whole lines go above the prompt while there is one; the beginning of a line waits for its end. */
class Above extends Writable {
  readonly isTTY: boolean;
  readonly #target: OutputStream;
  readonly #prompting: OutputStream;
  #prompt: Interface | undefined;
  #held = '';

  constructor(target: OutputStream, prompting: OutputStream) {
    super({ decodeStrings: false });
    this.isTTY = target.isTTY === true;
    this.#target = target;
    this.#prompting = prompting;
  }

  set prompt(prompt: Interface | undefined) {
    this.#prompt = prompt;
    if (prompt === undefined && this.#held !== '') this.#target.write(this.#held);
    if (prompt === undefined) this.#held = '';
  }

  override _write(piece: string, _encoding: BufferEncoding, done: () => void): void {
    // A stream that is no terminal goes elsewhere, whatever stands on the screen.
    if (this.#prompt === undefined || !this.isTTY) this.#target.write(piece);
    else this.#writeAbove(this.#prompt, `${this.#held}${piece}`);
    done();
  }

  #writeAbove(prompt: Interface, text: string): void {
    const end = text.lastIndexOf('\n') + 1;
    // What is typed over several rows cannot be drawn again in its place.
    const isInPlace = prompt.getCursorPos().rows === 0;
    this.#held = isInPlace ? text.slice(end) : text;
    if (!isInPlace || end === 0) return;
    clearLine(this.#prompting);
    this.#target.write(text.slice(0, end));
    prompt.prompt(true);
  }
}

function clearLine(stream: OutputStream): void {
  cursorTo(stream, 0);
  clearScreenDown(stream);
}
