/** The program in this process, on streams of the test: quicker than a process of its own, and it can be a terminal. */
import { PassThrough } from 'node:stream';
import { exitCodeOf } from '../../src/cli/exit-codes.ts';
import { printError } from '../../src/cli/print-error.ts';
import { createProgram } from '../../src/cli/program.ts';
import type { Terminal } from '../../src/cli/terminal.ts';
import type { Ended, Project } from './cli.ts';

/** A command that is under way, and the hands of who has started it. */
export interface StartedHere {
  readonly ended: Promise<Ended>;
  type(text: string): void;
  interrupt(): void;
  /** Resolves when stdout or stderr has said `text` after what was waited for before. */
  said(text: string): Promise<void>;
}

/** Starts a command; at a terminal, or with `input` on its standard input. */
export function startHere(
  { folder, env }: Project,
  args: readonly string[],
  { tty = false, input }: { readonly tty?: boolean; readonly input?: string } = {},
): StartedHere {
  const stop = new AbortController();
  const streams = {
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
  };
  const said = { stdout: '', stderr: '', all: '' };
  let look = () => {};
  for (const name of ['stdout', 'stderr'] as const) {
    streams[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
      said.all += text;
      look();
    });
  }
  if (tty) for (const stream of Object.values(streams)) Object.assign(stream, { isTTY: true });
  else streams.stdin.end(input ?? '');
  const terminal: Terminal = { ...streams, env, directory: folder, interrupted: stop.signal };
  const program = createProgram(terminal);
  const work = async (): Promise<Ended> => {
    let code: number;
    try {
      await program.parse(args);
      code = program.exitCode;
    } catch (error) {
      printError(terminal, error);
      code = exitCodeOf(error);
    }
    // What was written last is read a moment later.
    await new Promise(setImmediate);
    return { code, stdout: said.stdout, stderr: said.stderr };
  };
  const ended = work();
  return {
    ended,
    type: (text) => streams.stdin.write(text),
    interrupt: () => stop.abort(),
    async said(text) {
      const { promise, resolve } = Promise.withResolvers<void>();
      look = () => said.all.includes(text) && resolve();
      look();
      const early = ended.then(() => {
        if (!said.all.includes(text)) throw new Error(`ended without saying ${text}: ${said.all}`);
      });
      await Promise.race([promise, early]);
      said.all = said.all.slice(said.all.indexOf(text) + text.length);
    },
  };
}

/** Runs a command to its end. */
export async function runHere(project: Project, ...args: string[]): Promise<Ended> {
  return await startHere(project, args).ended;
}
