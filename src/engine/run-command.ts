/** Runs a program to its end, within a deadline. */
import { spawn } from 'node:child_process';

/** How to run a program. */
export interface RunCommandOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** After this the program and whatever it started are killed. */
  readonly timeoutMs: number;
}

/** How a program ended, with the tail of what it printed. */
export type CommandResult =
  | { readonly status: 'succeeded'; readonly output: string }
  | { readonly status: 'failed'; readonly why: string };

/** Output kept per program: enough for the error that ends it, bounded for a chatty one. */
const keptOutput = 16_384;

/**
 * Runs `file` and answers how it went; it never throws. The program gets an open stdin that closes
 * when this process ends, so that a program that watches it does not outlive this process.
 */
export function runCommand(
  file: string,
  args: readonly string[],
  { env, timeoutMs }: RunCommandOptions,
): Promise<CommandResult> {
  return new Promise((resolve) => {
    let output = '';
    let timedOut = false;
    // Its own process group, so that the deadline reaches what the program started, too.
    const child = spawn(file, args, { env: { ...env }, detached: true });
    const timer = setTimeout(() => {
      timedOut = true;
      if (child.pid !== undefined) killGroup(child.pid);
    }, timeoutMs);
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-keptOutput);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.stdin.on('error', () => undefined);
    const end = (result: CommandResult) => {
      clearTimeout(timer);
      resolve(result);
    };
    child.once('error', (error) => end({ status: 'failed', why: error.message }));
    child.once('close', (code, signal) => {
      if (timedOut) return end({ status: 'failed', why: `not done within ${timeoutMs / 1000} s` });
      if (code === 0) return end({ status: 'succeeded', output });
      const how = signal === null ? `exit code ${code}` : signal;
      end({ status: 'failed', why: `${how}${lastLine(output)}` });
    });
  });
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended by itself in the meantime.
  }
}

function lastLine(output: string): string {
  const line = output.trimEnd().split('\n').at(-1)?.trim();
  return line === undefined || line === '' ? '' : `: ${line}`;
}
