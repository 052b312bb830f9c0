/** `everloop run`: starts a run and follows it to its end. */
import type { Command } from 'commander';
import { createAdvice } from './attendant.ts';
import { exitCode } from './exit-codes.ts';
import type { RunOptions } from './options.ts';
import { addPair, addValue, checkAgent, toAmount, toCount, toStartOptions } from './options.ts';
import type { Cli } from './program.ts';
import { canAsk, createPromptLine } from './prompt-line.ts';
import { readUserInput } from './read-user-input.ts';
import { createJsonView, createTextView } from './run-view.ts';
import { writeNote } from './terminal.ts';

interface RunCommandOptions extends RunOptions {
  readonly file?: string;
  readonly image?: readonly string[];
  readonly json?: boolean;
}

/** Adds the command to the program. */
export function addRun(root: Command, cli: Cli): void {
  root
    .command('run')
    .summary('start a run and follow it to its end')
    .description(
      'Starts a run and follows it. Without a running engine, engine and Worker are in this process. At a terminal it asks for approvals and answers. Ctrl-C detaches: the run is not cancelled.',
    )
    .argument('<agent>', 'name of the agent')
    .argument('[input]', 'what the user says; else --file or standard input')
    .option('--id <id>', 'id of the run (default: a random one)')
    .option('--file <file>', 'read the input from a file')
    .option(
      '--image <file>',
      'an image or PDF that belongs to the input; may be repeated',
      addValue,
    )
    .option('--max-iterations <n>', 'model calls at most', toCount)
    .option('--budget-usd <amount>', 'US dollars that model calls may cost at most', toAmount)
    .option('--budget-tokens <n>', 'tokens that model calls may take at most', toCount)
    .option('--title <text>', 'title in lists')
    .option('--meta <key=value>', 'metadata of the run; may be repeated', addPair)
    .option('--json', 'one event per line, the result last')
    .action((agent: string, input: string | undefined, options: RunCommandOptions) =>
      run(cli, agent, input, options),
    );
}

async function run(
  cli: Cli,
  agent: string,
  argument: string | undefined,
  options: RunCommandOptions,
): Promise<void> {
  const { terminal } = cli;
  const config = await cli.config();
  const { anyEngine, connectRuns, isEngineRunning } = await import('./engine.ts');
  const { createAttendance } = await import('./attendance.ts');
  const { checkKeyOf } = await import('./worker-problems.ts');
  const { createPrompter } = await import('./prompter.ts');
  if (config.engine === undefined || config.file !== undefined) checkAgent(config, agent);
  const { file, image: images } = options;
  const input = await readUserInput(terminal, { argument, file, images });
  if (config.engine === undefined && !(await isEngineRunning(config))) checkKeyOf(config, agent);
  const engine = await anyEngine(terminal, config, 'run');
  const isJson = options.json === true;
  const line = !isJson && canAsk(terminal) ? createPromptLine(terminal) : undefined;
  const shown = line?.terminal ?? terminal;
  const attendance = createAttendance(shown, config, engine);
  try {
    const runs = await connectRuns(config, engine.address);
    const { id } = await runs.everloop
      .start(agent, { input, ...toStartOptions(options) })
      .finally(() => runs.close());
    const view = isJson ? createJsonView(terminal, id) : createTextView(shown);
    writeNote(terminal, `run ${id}`);
    const attendant = line ? createPrompter(line, attendance.desk) : createAdvice(terminal);
    const result = await attendance.follow({ id, agent }, view, attendant);
    view.end(result);
    cli.exitWith(result.stopReason === 'completed' ? exitCode.ok : exitCode.failed);
  } finally {
    await attendance.end();
  }
}
