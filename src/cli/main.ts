#!/usr/bin/env node
/** The program `everloop`: joins the commands to this process, its streams, signals and exit code. */
import { exitCode, exitCodeOf } from './exit-codes.ts';
import { nodeProblem } from './node-version.ts';
import { printError } from './print-error.ts';
import { createProgram } from './program.ts';
import type { Terminal } from './terminal.ts';

const oldNode = nodeProblem(process.versions.node);
if (oldNode !== undefined) {
  process.stderr.write(`error: ${oldNode}\ndo:    install a newer Node, then try again\n`);
  process.exit(exitCode.usage);
}

const interruption = new AbortController();
let interruptions = 0;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    interruptions += 1;
    // Who asks twice does not want to wait; the embedded server and Workers die with this process.
    if (interruptions > 1) process.exit(130);
    interruption.abort();
  });
}

const terminal: Terminal = {
  env: process.env,
  directory: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  interrupted: interruption.signal,
};

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // The reader has gone (`everloop ls | head -1`): what is left to say interests nobody.
    if (error.code === 'EPIPE') interruption.abort();
    else throw error;
  });
}

const program = createProgram(terminal);
try {
  await program.parse(process.argv.slice(2));
  process.exitCode = program.exitCode;
} catch (error) {
  printError(terminal, error);
  process.exitCode = exitCodeOf(error);
}
// Native code and open connections may keep the process; all that matters is stopped by now.
process.stdout.write('', () => process.stderr.write('', () => process.exit()));
