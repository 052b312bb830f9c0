/** `everloop deny`: refuses calls that wait for approval. */
import type { Command } from 'commander';
import type { DecideOptions } from './decide-calls.ts';
import { decideCalls } from './decide-calls.ts';
import type { Cli } from './program.ts';

interface DenyOptions extends DecideOptions {
  readonly reason?: string;
}

/** Adds the command to the program. */
export function addDeny(root: Command, cli: Cli): void {
  root
    .command('deny')
    .summary('refuse a call that waits for approval')
    .description(
      'Refuses calls that wait for approval; the model is told so, and the run goes on. Without the id of a call: the only one that waits. The first decision counts.',
    )
    .argument('<run>', 'id of the run')
    .argument('[calls...]', 'ids of the calls')
    .option('--reason <text>', 'what the model is told about it')
    .option('--all', 'all calls of the run that wait for approval')
    .option('--by <name>', 'who decides (default: your login name)')
    .option('--json', 'one object instead of text')
    .action(async (id: string, calls: string[], options: DenyOptions) => {
      const { reason } = options;
      const why = reason !== undefined && { reason };
      await decideCalls(cli, id, calls, { decision: 'deny', ...why }, options);
    });
}
