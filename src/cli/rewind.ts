/** `everloop rewind`: takes a run back to an earlier point, in place. */
import type { Command } from 'commander';
import { Option } from 'commander';
import { toIteration, toMessage } from './options.ts';
import type { Cli } from './program.ts';
import type { TakeBackOptions } from './take-back.ts';

interface RewindOptions extends TakeBackOptions {
  readonly to?: number;
  readonly at?: number | string;
}

/** Adds the command to the program. */
export function addRewind(root: Command, cli: Cli): void {
  root
    .command('rewind')
    .summary('take a run back to an earlier point, in place')
    .description(
      'Takes a run back and lets it go on from there under the same id, whether it is going on, has ended or is stuck. Says first what is left behind; what tools did is done, and what was spent stays spent. What is left behind can still be read: everloop show --discarded.',
    )
    .argument('<run>', 'id of the run')
    .addOption(
      new Option('--to <iteration>', 'to the end of this iteration; 0: before the first')
        .argParser(toIteration)
        .conflicts('at'),
    )
    .option(
      '--at <message>',
      'to this message: its number in everloop show --numbers, or its id',
      toMessage,
    )
    .option('--edit <text>', 'the last message that is kept says this instead')
    .option('--input <text>', 'what the user says next')
    .option('--tell-model', 'tell the model which tools have had an effect that is left behind')
    .option('--force', 'even while sub-agents are running: they end with what is left behind')
    .option('-y, --yes', 'do not ask')
    .option('--json', 'one object instead of text')
    .action((id: string, options: RewindOptions) => rewind(cli, id, options));
}

async function rewind(cli: Cli, id: string, options: RewindOptions): Promise<void> {
  const { takeBack, toTerms } = await import('./take-back.ts');
  const { to, at } = options;
  const given = {
    ...toTerms(options),
    ...(to !== undefined && { toIteration: to }),
    ...(at !== undefined && { at }),
  };
  await takeBack(cli, id, options, {
    plan: (run) => run.rewindPlan(given),
    carryOut: (run) => run.rewind(given),
  });
}
