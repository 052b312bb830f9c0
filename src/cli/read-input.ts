/** Text that a person gives to a command: an argument, a file, or what is piped in. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { EverloopError } from '../everloop-error.ts';
import type { Terminal } from './terminal.ts';

/** Where the text may be. */
export interface InputSource {
  readonly argument: string | undefined;
  readonly file: string | undefined;
}

/**
 * The text, without the line break at its end; '' when there is none. Bytes that are no UTF-8 become U+FFFD.
 * @throws EverloopError `invalid_input` when there is more than one
 */
export async function readInput(
  { stdin, directory }: Terminal,
  { argument, file }: InputSource,
): Promise<string> {
  if (argument !== undefined && file !== undefined) {
    throw new EverloopError(
      'invalid_input',
      'the input is given twice: as an argument and as a file',
      { hint: 'leave one of them out' },
    );
  }
  const input = argument ?? (await (file === undefined ? piped(stdin) : fromFile(directory, file)));
  const trimmed = input.replace(/\r?\n$/, '').toWellFormed();
  return trimmed.trim() === '' ? '' : trimmed;
}

async function piped(stdin: Terminal['stdin']): Promise<string> {
  return stdin.isTTY === true ? '' : await text(stdin);
}

async function fromFile(directory: string, file: string): Promise<string> {
  try {
    return await readFile(resolve(directory, file), 'utf8');
  } catch (error) {
    throw new EverloopError('invalid_input', `the input file ${file} cannot be read`, {
      hint: `check its name and permissions (${error instanceof Error && 'code' in error ? error.code : error})`,
      cause: error,
    });
  }
}
