/** `everloop diff`: shows where two runs part. */
import type { Command } from 'commander';
import { exitCode } from './exit-codes.ts';
import type { Cli } from './program.ts';
import { writeJson } from './terminal.ts';

interface DiffOptions {
  readonly full?: boolean;
  readonly json?: boolean;
}

/** Adds the command to the program. */
export function addDiff(root: Command, cli: Cli): void {
  root
    .command('diff')
    .summary('show where two runs part, message by message')
    .description(
      'Compares what was said in two runs, and how they ended. Ids, times and figures are of each run alone and make no difference. Exit code 0 when they are the same, 1 when they differ. Needs no Worker.',
    )
    .argument('<runA>', 'id of one run')
    .argument('<runB>', 'id of the other')
    .option('--full', 'texts that one run alone has, whole')
    .option('--json', 'one object instead of text')
    .action((a: string, b: string, options: DiffOptions) => diff(cli, a, b, options));
}

async function diff(cli: Cli, a: string, b: string, options: DiffOptions): Promise<void> {
  const { terminal } = cli;
  const { full = false, json = false } = options;
  const config = await cli.config();
  const { anyEngine, hasRuns, withRuns } = await import('./engine.ts');
  const { noSuchRun } = await import('../client/client-errors.ts');
  if (!(await hasRuns(config))) throw noSuchRun(a);
  const engine = await anyEngine(terminal, config, 'diff');
  const found = await withRuns(config, engine, ({ everloop }) => everloop.diff(a, b));
  if (json) {
    writeJson(terminal, found);
  } else {
    const { writeDiff } = await import('./diff-report.ts');
    writeDiff(terminal, found, full);
  }
  cli.exitWith(found.same ? exitCode.ok : exitCode.failed);
}
