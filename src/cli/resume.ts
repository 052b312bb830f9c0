/** `everloop resume`: lets a paused run go on. */
import type { Command } from 'commander';
import { tellRun } from './open-run.ts';
import type { Cli } from './program.ts';
import { writeJson, writeLine } from './terminal.ts';
import { whoDecides } from './who-decides.ts';

interface ResumeOptions {
  readonly by?: string;
  readonly json?: boolean;
}

/** Adds the command to the program. */
export function addResume(root: Command, cli: Cli): void {
  root
    .command('resume')
    .summary('let a paused run go on')
    .description('Lets a paused run go on from where it stands.')
    .argument('<run>', 'id of the run')
    .option('--by <name>', 'who resumes it (default: your login name)')
    .option('--json', 'one object instead of text')
    .action((id: string, options: ResumeOptions) => resume(cli, id, options));
}

async function resume(cli: Cli, id: string, { by, json = false }: ResumeOptions): Promise<void> {
  const { terminal } = cli;
  const who = whoDecides(terminal, by);
  await tellRun(await cli.config(), id, 'resume', ({ run }) => run.resume(who));
  if (json) writeJson(terminal, { id, paused: false, ...who });
  else writeLine(terminal, `run ${id} goes on`);
}
