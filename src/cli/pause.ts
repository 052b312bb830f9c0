/** `everloop pause`: lets a run stand still. */
import type { Command } from 'commander';
import { tellRun } from './open-run.ts';
import type { Cli } from './program.ts';
import { writeJson, writeLine } from './terminal.ts';
import { whoDecides } from './who-decides.ts';

interface PauseOptions {
  readonly reason?: string;
  readonly by?: string;
  readonly json?: boolean;
}

/** Adds the command to the program. */
export function addPause(root: Command, cli: Cli): void {
  root
    .command('pause')
    .summary('let a run stand still')
    .description(
      'Lets a run stand still at the end of its iteration, until everloop resume. Calls in flight come to their end; messages are taken meanwhile.',
    )
    .argument('<run>', 'id of the run')
    .option('--reason <text>', 'why, for whoever looks at it')
    .option('--by <name>', 'who pauses it (default: your login name)')
    .option('--json', 'one object instead of text')
    .action((id: string, options: PauseOptions) => pause(cli, id, options));
}

async function pause(
  cli: Cli,
  id: string,
  { reason, by, json = false }: PauseOptions,
): Promise<void> {
  const { terminal } = cli;
  const given = { ...whoDecides(terminal, by), ...(reason !== undefined && { reason }) };
  await tellRun(await cli.config(), id, 'pause', ({ run }) => run.pause(given));
  if (json) writeJson(terminal, { id, paused: true, ...given });
  else writeLine(terminal, `run ${id} pauses at the end of its iteration: everloop resume ${id}`);
}
