/** `everloop cancel`: asks a run to stop. */
import type { Command } from 'commander';
import { openRun } from './open-run.ts';
import type { Cli } from './program.ts';
import { writeJson, writeLine } from './terminal.ts';

/** Adds the command to the program. */
export function addCancel(root: Command, cli: Cli): void {
  root
    .command('cancel')
    .summary('cancel a run')
    .description('Asks a run to stop: its calls are told, its transcript stays whole.')
    .argument('<run>', 'id of the run')
    .option('--json', 'one object instead of text')
    .action((id: string, options: { json?: boolean }) => cancel(cli, id, options.json === true));
}

async function cancel(cli: Cli, id: string, json: boolean): Promise<void> {
  const { terminal } = cli;
  const config = await cli.config();
  const { runningEngine, withRuns } = await import('./engine.ts');
  const engine = await runningEngine(config);
  const workers = await withRuns(config, engine, async (runs) => {
    const { run, snapshot } = await openRun(runs, id, 'cancel');
    await run.cancel();
    return snapshot.workers;
  });
  if (json) writeJson(terminal, { id, cancelRequested: true });
  else if (workers > 0) writeLine(terminal, `run ${id} is being cancelled`);
  else
    writeLine(terminal, `run ${id} will be cancelled as soon as a Worker is there: everloop dev`);
}
