/** What a command has of the process around it. */
import type { Readable, Writable } from 'node:stream';
import { styleText } from 'node:util';
import type { Environment } from '../config-environment.ts';

/** A stream that may be a person's terminal. */
export type OutputStream = Writable & { readonly isTTY?: boolean };

/** The outside of a command: variables, folder, streams, and whether it is asked to stop. */
export interface Terminal {
  readonly env: Environment;
  readonly directory: string;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  /** Results only. */
  readonly stdout: OutputStream;
  /** Progress, notes and errors. */
  readonly stderr: OutputStream;
  /** Aborted by Ctrl-C and by the signals that ask a process to end. */
  readonly interrupted: AbortSignal;
}

/** Colours and weights that commands use. */
export type Style = Parameters<typeof styleText>[0];

/** The text in a style where the stream shows one: a terminal, unless NO_COLOR asks for plain text. */
export function styled(stream: OutputStream, style: Style, text: string): string {
  return stream.isTTY === true ? styleText(style, text, { stream }) : text;
}

/** Writes a line of result. */
export function writeLine({ stdout }: Terminal, text: string): void {
  stdout.write(`${text}\n`);
}

/** Writes a value as one line of JSON. */
export function writeJson(terminal: Terminal, value: unknown): void {
  writeLine(terminal, JSON.stringify(value));
}

/** Writes a line that is no result: what is going on, or what to do next. */
export function writeNote({ stderr }: Terminal, text: string): void {
  stderr.write(`${styled(stderr, 'dim', text)}\n`);
}

/** Control characters of foreign text would steer the terminal; line breaks and tabs are left. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  return text.toWellFormed().replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '\ufffd');
}
