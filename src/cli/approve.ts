/** `everloop approve`: lets calls run that wait for approval. */
import type { Command } from 'commander';
import { Option } from 'commander';
import type { DecideOptions } from './decide-calls.ts';
import { decideCalls } from './decide-calls.ts';
import { parseCallInput } from './parse-call-input.ts';
import type { Cli } from './program.ts';

interface ApproveOptions extends DecideOptions {
  readonly input?: string;
  readonly remember?: boolean;
}

/** Adds the command to the program. */
export function addApprove(root: Command, cli: Cli): void {
  root
    .command('approve')
    .summary('let a call run that waits for approval')
    .description(
      'Lets calls run that wait for approval. Without the id of a call: the only one that waits. The first decision counts.',
    )
    .argument('<run>', 'id of the run')
    .argument('[calls...]', 'ids of the calls')
    .addOption(
      new Option('--input <json>', 'run the call with this input instead').conflicts('all'),
    )
    .option('--remember', 'further calls of the same tool need no approval in this run')
    .option('--all', 'all calls of the run that wait for approval')
    .option('--by <name>', 'who decides (default: your login name)')
    .option('--json', 'one object instead of text')
    .action(async (id: string, calls: string[], options: ApproveOptions) => {
      const { input, remember } = options;
      const decision =
        input === undefined
          ? { decision: 'allow' as const }
          : { decision: 'edit' as const, input: parseCallInput(input, '--input') };
      const remembered = remember === true && { remember };
      await decideCalls(cli, id, calls, { ...decision, ...remembered }, options);
    });
}
