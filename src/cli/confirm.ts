/** Asks a person before something that cannot be undone. */
import { createInterface } from 'node:readline/promises';
import { EverloopError } from '../everloop-error.ts';
import { Interrupted } from './interrupted.ts';
import type { Terminal } from './terminal.ts';
import { styled } from './terminal.ts';

/**
 * Whether the person at the terminal says yes; whatever is not a clear yes is a no.
 * @param yes the answer was given on the command line: nobody is asked
 * @throws EverloopError `invalid_input` where nobody can be asked; Interrupted
 */
export async function confirm(
  terminal: Terminal,
  question: string,
  yes: boolean,
): Promise<boolean> {
  if (yes) return true;
  const { stdin, stderr, interrupted } = terminal;
  if (stdin.isTTY !== true) {
    throw new EverloopError('invalid_input', 'this has to be confirmed, and nobody can be asked', {
      hint: 'add --yes to do it without being asked',
    });
  }
  const prompt = createInterface({ input: stdin, output: stderr });
  // The prompt takes Ctrl-C for itself.
  const stopped = new AbortController();
  prompt.once('SIGINT', () => stopped.abort());
  prompt.once('close', () => stopped.abort());
  try {
    const signal = AbortSignal.any([stopped.signal, interrupted]);
    const answer = await prompt.question(`${styled(stderr, 'bold', question)} [y/N] `, { signal });
    return /^y(es)?$/i.test(answer.trim());
  } catch (error) {
    if (stopped.signal.aborted || interrupted.aborted) throw new Interrupted('interrupted');
    throw error;
  } finally {
    prompt.close();
  }
}
