/** `everloop start`: starts a run and leaves it to its Worker. */
import type { Command } from 'commander';
import type { RunOptions } from './options.ts';
import { addPair, addValue, checkAgent, toAmount, toCount, toStartOptions } from './options.ts';
import type { Cli } from './program.ts';
import { readUserInput } from './read-user-input.ts';
import { writeJson, writeLine } from './terminal.ts';
import { toDuration } from './to-duration.ts';

interface StartOptions extends RunOptions {
  readonly file?: string;
  readonly image?: readonly string[];
  readonly delay?: string;
  readonly taskQueue?: string;
  readonly json?: boolean;
}

/** Adds the command to the program. */
export function addStart(root: Command, cli: Cli): void {
  root
    .command('start')
    .summary('start a run and print its id')
    .description(
      'Starts a run and prints its id. The run needs a Worker: everloop dev, or everloop worker.',
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
    .option('--task-queue <name>', 'task queue of the Workers that have the agent')
    .option('--delay <duration>', 'begin after this time, such as "90 s", "2 hours" or "1 day"')
    .option('--max-iterations <n>', 'model calls at most', toCount)
    .option('--budget-usd <amount>', 'US dollars that model calls may cost at most', toAmount)
    .option('--budget-tokens <n>', 'tokens that model calls may take at most', toCount)
    .option('--title <text>', 'title in lists')
    .option('--meta <key=value>', 'metadata of the run; may be repeated', addPair)
    .option('--json', 'one object instead of the id')
    .action((agent: string, input: string | undefined, options: StartOptions) =>
      start(cli, agent, input, options),
    );
}

async function start(
  cli: Cli,
  agent: string,
  argument: string | undefined,
  options: StartOptions,
): Promise<void> {
  const { terminal } = cli;
  const config = await cli.config();
  const { runningEngine, withRuns } = await import('./engine.ts');
  // A server of many projects may have Workers with agents that this folder knows nothing of.
  const mayBeForeign = config.engine !== undefined && config.file === undefined;
  if (options.taskQueue === undefined && !mayBeForeign) checkAgent(config, agent);
  const { file, image: images } = options;
  const input = await readUserInput(terminal, { argument, file, images });
  const delayMs =
    options.delay === undefined ? undefined : await toDuration(options.delay, '--delay');
  const engine = await runningEngine(config);
  const taskQueue = options.taskQueue ?? config.taskQueue;
  const { id } = await withRuns(
    config,
    engine,
    ({ everloop }) =>
      everloop.start(agent, {
        input,
        ...toStartOptions(options),
        ...(delayMs !== undefined && { delayMs }),
      }),
    taskQueue,
  );
  if (options.json === true) writeJson(terminal, { id, agent, taskQueue });
  else writeLine(terminal, id);
}
