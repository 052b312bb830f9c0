/** `everloop fork`: makes runs that go on from a message of another. */
import type { Command } from 'commander';
import { checkAgent, toCount, toMessage } from './options.ts';
import type { Cli } from './program.ts';
import { writeJson, writeLine, writeNote } from './terminal.ts';

interface ForkOptions {
  readonly at?: number | string;
  readonly edit?: string;
  readonly input?: string;
  readonly agent?: string;
  readonly count?: number;
  readonly maxIterations?: number;
  readonly title?: string;
  readonly json?: boolean;
}

/** Adds the command to the program. */
export function addFork(root: Command, cli: Cli): void {
  root
    .command('fork')
    .summary('make runs that go on from a message of this one')
    .description(
      'Makes runs that go on from a message of this one, which goes on itself. What came before that message is shared, not copied. Inside the results of a response’s calls the nearest valid message is taken. Prints the ids of the new runs.',
    )
    .argument('<run>', 'id of the run')
    .option(
      '--at <message>',
      'the last message that is inherited: its number in everloop show --numbers, or its id (default: the newest)',
      toMessage,
    )
    .option('--edit <text>', 'that message says this instead')
    .option('--input <text>', 'what the user says next')
    .option('--agent <agent>', 'another agent goes on')
    .option('--count <n>', 'so many of them, 20 at most', toCount)
    .option('--max-iterations <n>', 'model calls with their tools at most', toCount)
    .option('--title <text>', 'what lists call them')
    .option('--json', 'one object instead of text')
    .action((id: string, options: ForkOptions) => fork(cli, id, options));
}

async function fork(cli: Cli, id: string, { json, ...request }: ForkOptions): Promise<void> {
  const { terminal } = cli;
  const config = await cli.config();
  const { agent } = request;
  // Elsewhere, other Workers may have it.
  const isKnownHere = config.engine === undefined || config.file !== undefined;
  if (agent !== undefined && isKnownHere) checkAgent(config, agent);
  const { runningEngine, withRuns } = await import('./engine.ts');
  const engine = await runningEngine(config);
  const runs = await withRuns(config, engine, async ({ everloop }) => {
    const forks = await everloop.run(id).fork(request);
    return forks.map((each) => each.id);
  });
  if (json === true) {
    writeJson(terminal, { id, runs });
    return;
  }
  for (const run of runs) writeLine(terminal, run);
  writeNote(terminal, `Follow one with: everloop watch ${runs[0]}`);
}
