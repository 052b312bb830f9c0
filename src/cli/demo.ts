/** `everloop demo`: a real job on the files of this folder, whose Worker is killed twice and which comes to its end all the same. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { ConfigurationError } from '../everloop-error.ts';
import type { DemoOutcome } from './demo-performance.ts';
import { exitCode } from './exit-codes.ts';
import { counted } from './format.ts';
import type { Cli } from './program.ts';
import type { Terminal } from './terminal.ts';
import { styled, writeJson, writeLine, writeNote } from './terminal.ts';

interface DemoOptions {
  readonly kill: boolean;
  readonly json?: boolean;
}

/** Adds the command to the program. */
export function addDemo(root: Command, cli: Cli): void {
  root
    .command('demo')
    .summary('watch a run survive: half a minute, no key needed')
    .description(
      'An agent reports on the files of this folder while its Worker is killed twice; it asks for an approval, and is forked at the end. The model is that of EVERLOOP_MODEL; without its key (OPENAI_API_KEY) a scripted one speaks. Nothing but the report is written.',
    )
    .option('--no-kill', 'let the Worker live')
    .option('--json', 'one object at the end')
    .action((options: DemoOptions) => demo(cli, options));
}

async function demo(cli: Cli, { kill, json }: DemoOptions): Promise<void> {
  const { terminal } = cli;
  const { readEnvironment } = await import('../config-environment.ts');
  const { isWritten, performDemo } = await import('./demo-performance.ts');
  const environment = readEnvironment(terminal.env);
  if (environment.problems.length > 0) {
    throw new ConfigurationError('the environment is not fit for the demo', environment.problems);
  }
  const startedAt = Date.now();
  const stage = await mkdtemp(join(tmpdir(), 'everloop-demo-'));
  const undo: (() => Promise<void>)[] = [() => rm(stage, { recursive: true, force: true })];
  let outcome: DemoOutcome;
  try {
    outcome = await performDemo(terminal, environment, { stage, kill, undo });
  } finally {
    for (const step of undo.toReversed()) await step().catch(() => undefined);
  }
  const { kills, approvals, fork, counts, replay, report, result } = outcome;
  const { modelCalls, toolCalls, repeated } = counts;
  if (json === true) {
    const calls = { modelCalls, toolCalls, repeated };
    writeJson(terminal, { kills, approvals, fork: fork.stopReason, ...calls, replay, report });
  } else writeOutcome(terminal, outcome, Math.round((Date.now() - startedAt) / 1000));
  const isAsPromised =
    result.stopReason === 'completed' &&
    fork.stopReason === 'completed' &&
    kills === (kill ? 2 : 0) &&
    repeated === 0 &&
    replay === 'ok' &&
    (await isWritten(report));
  if (isAsPromised) return;
  writeNote(terminal, `Something is not as promised: ${result.stopReason}: ${result.ended}`);
  cli.exitWith(exitCode.failed);
}

function writeOutcome(terminal: Terminal, outcome: DemoOutcome, seconds: number): void {
  const { result, kills, approvals, fork, counts, replay, report } = outcome;
  const { modelCalls, cutModelCalls, toolCalls, cutToolCalls, repeated } = counts;
  const again = (cut: number) => (cut === 0 ? '' : `, ${cut} more broken off and asked again`);
  const rows: readonly (readonly [string, string])[] = [
    [
      'run',
      `${result.stopReason}, ${counted(result.iterations, 'iteration')}, ${seconds} s in all`,
    ],
    ['Worker killed', counted(kills, 'time')],
    ['approvals', `${approvals} asked for and given`],
    [
      'fork',
      `${fork.stopReason}, ${counted(fork.inherited, 'message')} inherited, ${counted(fork.modelCalls, 'model call')} of its own`,
    ],
    ['model calls', `${modelCalls} answered${again(cutModelCalls)}`],
    ['tool calls', `${toolCalls} finished${again(cutToolCalls)}`],
    ['run again although complete', String(repeated)],
    ['replay', replay],
    ['report', report],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  for (const [name, value] of rows) {
    writeLine(terminal, `${styled(terminal.stdout, 'bold', name.padEnd(width))}  ${value}`);
  }
}
