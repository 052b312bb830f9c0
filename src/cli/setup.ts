/** `everloop setup`: makes a Temporal server ready for Everloop's runs. */
import type { Command } from 'commander';
import type { ClusterItem } from '../engine/set-up-cluster.ts';
import { exitCode } from './exit-codes.ts';
import type { Cli } from './program.ts';
import { withProgress } from './progress.ts';
import type { Style, Terminal } from './terminal.ts';
import { printable, styled, writeJson, writeLine, writeNote } from './terminal.ts';

interface SetupOptions {
  readonly check?: boolean;
  readonly createNamespace?: boolean;
  readonly json?: boolean;
}

/** Adds the command to the program. */
export function addSetup(root: Command, cli: Cli): void {
  root
    .command('setup')
    .summary('make a Temporal server ready for runs')
    .description(
      'Registers the search attributes of runs and keeps closed runs for at least 30 days, on the server in TEMPORAL_ADDRESS or on the running engine. Done twice, it changes nothing the second time.',
    )
    .option('--check', 'change nothing; exit code 1 when something is missing')
    .option('--create-namespace', 'make the namespace if there is none')
    .option('--json', 'one object per line')
    .action((options: SetupOptions) => setup(cli, options));
}

async function setup(cli: Cli, options: SetupOptions): Promise<void> {
  const { terminal } = cli;
  const { check = false, createNamespace = false, json = false } = options;
  const config = await cli.config();
  const { namespace } = config;
  const { runningEngine } = await import('./engine.ts');
  const { connectClient } = await import('../engine/connect.ts');
  const { inspectCluster, setUpCluster } = await import('../engine/set-up-cluster.ts');
  const { address } = await runningEngine(config);
  const { connection } = await connectClient({ ...address, namespace });
  try {
    const items = check
      ? await inspectCluster(connection, namespace)
      : await withProgress(terminal, `setting up namespace ${namespace}`, () =>
          setUpCluster(connection, { namespace, createNamespace }),
        );
    for (const item of items) {
      if (json) writeJson(terminal, { ...item, namespace, address: address.address });
      else writeItem(terminal, item);
    }
    if (items.every(({ status }) => status !== 'missing')) return;
    cli.exitWith(exitCode.failed);
    if (!json) writeNote(terminal, `To set it up: everloop setup${flagFor(items)}`);
  } finally {
    await connection.close();
  }
}

const titles: Readonly<Record<ClusterItem['item'], string>> = {
  namespace: 'namespace',
  retention: 'retention',
  search_attributes: 'search attributes',
};

const styles: Readonly<Record<ClusterItem['status'], Style>> = {
  present: 'green',
  done: 'cyan',
  missing: 'red',
};

function writeItem(terminal: Terminal, { item, status, detail }: ClusterItem): void {
  const word = styled(terminal.stdout, styles[status], status.padEnd(7));
  writeLine(terminal, `${word}  ${titles[item]}: ${printable(detail)}`);
}

function flagFor(items: readonly ClusterItem[]): string {
  const lacks = items.some(({ item, status }) => item === 'namespace' && status === 'missing');
  return lacks ? ' --create-namespace' : '';
}
