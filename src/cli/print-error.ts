/** Says what went wrong: one line what, one line why, one line what to do. Never a stack trace, unless asked for. */
import { CommanderError } from 'commander';
import { ConfigurationError, EverloopError } from '../everloop-error.ts';
import { oneLine, shorten } from './format.ts';
import { Interrupted } from './interrupted.ts';
import type { Terminal } from './terminal.ts';
import { printable, styled } from './terminal.ts';

/** Prints the error on stderr; commander has printed its own already. */
export function printError(terminal: Terminal, error: unknown): void {
  const { stderr, env } = terminal;
  if (error instanceof CommanderError || error instanceof Interrupted) return;
  const { what, why, todo } = linesOf(error);
  stderr.write(`${styled(stderr, 'red', 'error:')} ${printable(what)}\n`);
  if (why !== undefined) stderr.write(`  why: ${printable(why)}\n`);
  if (todo !== undefined) stderr.write(`  do:  ${printable(todo)}\n`);
  if (env['EVERLOOP_DEBUG'] && error instanceof Error) stderr.write(`${error.stack}\n`);
}

interface Lines {
  readonly what: string;
  readonly why?: string | undefined;
  readonly todo?: string | undefined;
}

function linesOf(error: unknown): Lines {
  if (error instanceof ConfigurationError) return { what: error.message, todo: error.hint };
  if (error instanceof EverloopError) {
    return { what: error.message, why: causeOf(error), todo: error.hint };
  }
  const what = shorten(oneLine(error instanceof Error ? error.message : String(error)), 300);
  return { what: `unexpected: ${what}`, todo: 'set EVERLOOP_DEBUG=1 to see where it comes from' };
}

/** Only for the engine: elsewhere the cause is Temporal's wording of what the message says. */
function causeOf({ code, message, cause }: EverloopError): string | undefined {
  if (code !== 'engine_unreachable' && code !== 'engine_failed') return undefined;
  if (!(cause instanceof Error)) return undefined;
  const why = firstLine(cause.message);
  const deeper = cause.cause instanceof Error ? firstLine(cause.cause.message) : why;
  return message.includes(why) || message.includes(deeper) ? undefined : deeper;
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? '';
}
