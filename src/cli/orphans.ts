/** `everloop orphans`: sub-agents whose parent is gone. */
import type { Command } from 'commander';
import type { Orphan } from '../client/orphans.ts';
import { confirm } from './confirm.ts';
import { counted } from './format.ts';
import type { Cli } from './program.ts';
import { toTable } from './table.ts';
import { printable, writeJson, writeLine } from './terminal.ts';

interface OrphansOptions {
  readonly cancel?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** Adds the command to the program. */
export function addOrphans(root: Command, cli: Cli): void {
  root
    .command('orphans')
    .summary('list sub-agents whose parent is gone')
    .description(
      'Lists open sub-agents that nobody waits for: their parent has ended, or is not there. They go on by themselves until they are cancelled.',
    )
    .option('--cancel', 'cancel all of them')
    .option('-y, --yes', 'do not ask')
    .option('--json', 'one object per line')
    .action((options: OrphansOptions) => orphans(cli, options));
}

async function orphans(cli: Cli, options: OrphansOptions): Promise<void> {
  const { terminal } = cli;
  const { cancel = false, yes = false, json = false } = options;
  const config = await cli.config();
  const { runningEngine, withRuns } = await import('./engine.ts');
  const engine = await runningEngine(config);
  await withRuns(config, engine, async ({ everloop }) => {
    const found = await Array.fromAsync(everloop.orphans());
    if (json) for (const orphan of found) writeJson(terminal, orphan);
    else writeLine(terminal, found.length === 0 ? 'no orphans' : tableOf(found));
    if (!cancel || found.length === 0) return;
    const question = `Cancel ${counted(found.length, 'sub-agent')}?`;
    if (!(await confirm(terminal, question, yes))) return;
    for (const { id } of found) {
      await everloop.run(id).cancel();
      if (!json) writeLine(terminal, `run ${id} is being cancelled`);
    }
  });
}

function tableOf(found: readonly Orphan[]): string {
  const rows = found.map(({ id, status, agent, parent, parentStatus = 'not there' }) =>
    [id, status, agent, parent, parentStatus.toLowerCase()].map(printable),
  );
  return toTable(['RUN', 'STATUS', 'AGENT', 'PARENT', 'PARENT IS'], rows);
}
