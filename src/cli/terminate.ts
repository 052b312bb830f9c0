/** `everloop terminate`: ends a run at once, without asking it. */
import type { Command } from 'commander';
import { confirm } from './confirm.ts';
import { exitCode } from './exit-codes.ts';
import { openRun } from './open-run.ts';
import type { Cli } from './program.ts';
import { writeJson, writeLine, writeNote } from './terminal.ts';

interface TerminateOptions {
  readonly reason?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** What a termination costs, and `everloop cancel` does not. */
const losses =
  'calls in flight are not told to stop, no onEnd hook runs, there is no grace and no result; sub-agents end with it';

/** Adds the command to the program. */
export function addTerminate(root: Command, cli: Cli): void {
  root
    .command('terminate')
    .summary('end a run that cannot be cancelled')
    .description(
      `Ends a run at once, without asking it: ${losses}. What it did so far can still be read. Try everloop cancel first.`,
    )
    .argument('<run>', 'id of the run')
    .option('--reason <text>', 'kept in the history of the run')
    .option('-y, --yes', 'do not ask')
    .option('--json', 'one object instead of text')
    .action((id: string, options: TerminateOptions) => terminate(cli, id, options));
}

async function terminate(cli: Cli, id: string, options: TerminateOptions): Promise<void> {
  const { terminal } = cli;
  const { reason, yes = false, json = false } = options;
  const config = await cli.config();
  const { runningEngine, withRuns } = await import('./engine.ts');
  const engine = await runningEngine(config);
  const isDone = await withRuns(config, engine, async (runs) => {
    const { run, snapshot } = await openRun(runs, id, 'terminate');
    const { open } = snapshot;
    writeNote(terminal, `What is lost: ${losses}.`);
    if (open.length > 0) {
      const calls = open.map((call) => call.id).join(', ');
      writeNote(terminal, `In flight now, with an outcome that nobody will know: ${calls}.`);
    }
    if (!(await confirm(terminal, `Terminate run ${id}?`, yes))) return false;
    await run.terminate(reason);
    return true;
  });
  if (!isDone) {
    writeNote(terminal, `Run ${id} goes on. To end it in order: everloop cancel ${id}`);
    cli.exitWith(exitCode.failed);
  }
  if (json) writeJson(terminal, { id, terminated: isDone });
  else if (isDone) writeLine(terminal, `run ${id} is terminated`);
}
