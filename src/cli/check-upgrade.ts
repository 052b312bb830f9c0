/** `everloop check-upgrade`: replays runs that other builds have recorded, so that a build that breaks them is never deployed. */
import { basename } from 'node:path';
import type { Command } from 'commander';
import { EverloopError } from '../everloop-error.ts';
import type { CheckedRun, RunToCheck } from '../replay/check-upgrade.ts';
import type { ReplayOptions } from '../replay/replay.ts';
import { exitCode } from './exit-codes.ts';
import { counted } from './format.ts';
import { toCount } from './options.ts';
import type { Cli } from './program.ts';
import { withProgress } from './progress.ts';

interface CheckUpgradeOptions {
  readonly samples: number;
  readonly query?: string;
  readonly all?: boolean;
  readonly against?: string;
  readonly json?: boolean;
}

/** A break shows in the first run that meets it; three of each age meet more of an agent's ways than one. */
const defaultSamples = 3;

/** Adds the command to the program. */
export function addCheckUpgrade(root: Command, cli: Cli): void {
  root
    .command('check-upgrade')
    .summary('prove that open runs go on with this build')
    .description(
      'Replays open runs, without effects, with the Workflow code at hand: some of each agent and of each build that they run on. With a folder: every history file in it, and no server is asked. Ends with exit code 1 when one does not replay.',
    )
    .argument(
      '[folder]',
      'history files, of everloop export --format history or temporal workflow show',
    )
    .option('--samples <n>', 'runs of each agent and build at most', toCount, defaultSamples)
    .option('--all', 'every open run')
    .option('--query <query>', 'only open runs that match this Temporal visibility query')
    .option('--against <file>', "Workflow code to replay with; this program's when not said")
    .option('--json', 'one run per line, the verdict last')
    .action((folder: string | undefined, options: CheckUpgradeOptions) =>
      check(cli, folder, options),
    );
}

/** What was checked, and of how many. */
export interface UpgradeReport {
  readonly runs: readonly CheckedRun[];
  /** Open runs; absent for a folder. */
  readonly open?: number;
  /** Files that are JSON of another kind. */
  readonly passedOver: readonly string[];
}

async function check(
  cli: Cli,
  folder: string | undefined,
  options: CheckUpgradeOptions,
): Promise<void> {
  const { terminal } = cli;
  const { against, json = false } = options;
  const { readBundle } = await import('./read-bundle.ts');
  const bundle = against === undefined ? undefined : await readBundle(terminal, against);
  const { installWorkerRuntime } = await import('./worker-runtime.ts');
  installWorkerRuntime(terminal);
  const { toReplayOptions } = await import('./replay-options.ts');
  const replay = toReplayOptions(cli, bundle);
  const report =
    folder === undefined
      ? await checkServer(cli, options, replay)
      : await checkFolder(cli, folder, replay);
  const { writeUpgradeJson, writeUpgradeText } = await import('./check-upgrade-report.ts');
  const isOk = (json ? writeUpgradeJson : writeUpgradeText)(terminal, report);
  cli.exitWith(isOk ? exitCode.ok : exitCode.failed);
}

async function checkFolder(
  { terminal }: Cli,
  folder: string,
  options: ReplayOptions,
): Promise<UpgradeReport> {
  const { historyFiles } = await import('./history-files.ts');
  const { fromHistoryFile } = await import('../replay/recorded-run.ts');
  const passedOver: string[] = [];
  async function* runs(): AsyncGenerator<RunToCheck, void, undefined> {
    for await (const { name, text } of historyFiles(terminal, folder)) {
      if (text === undefined) passedOver.push(name);
      else yield { name, read: async () => fromHistoryFile(text, basename(name)) };
    }
  }
  const checked = await checkAll(terminal, runs(), options);
  if (checked.length === 0) {
    // A check of nothing must not look like one that passed.
    throw new EverloopError('invalid_input', `there is no history of a run in ${folder}`, {
      hint: 'write some with: everloop export <run> --format history --out <file>',
    });
  }
  return { runs: checked, passedOver };
}

async function checkServer(
  cli: Cli,
  { all = false, samples, query }: CheckUpgradeOptions,
  options: ReplayOptions,
): Promise<UpgradeReport> {
  const { terminal } = cli;
  const config = await cli.config();
  const { anyEngine, hasRuns, withRuns } = await import('./engine.ts');
  if (!(await hasRuns(config))) return { runs: [], open: 0, passedOver: [] };
  const { openRuns } = await import('../client/open-runs.ts');
  const { sampleOf } = await import('../replay/check-upgrade.ts');
  const engine = await anyEngine(terminal, config, 'check-upgrade');
  return await withRuns(config, engine, async ({ client, everloop }) => {
    const open = await withProgress(terminal, 'looking for open runs', (update) =>
      openRuns(client, {
        ...(query !== undefined && { query }),
        told: (count) => update(`looking for open runs: ${counted(count, 'run')}`),
      }),
    );
    const chosen = sampleOf(open, all ? Number.POSITIVE_INFINITY : samples);
    const runs = chosen.map(({ id }) => ({ name: id, read: () => everloop.run(id).recorded() }));
    return { runs: await checkAll(terminal, runs, options), open: open.length, passedOver: [] };
  });
}

async function checkAll(
  terminal: Cli['terminal'],
  runs: Iterable<RunToCheck> | AsyncIterable<RunToCheck>,
  options: ReplayOptions,
): Promise<readonly CheckedRun[]> {
  const { checkUpgrade } = await import('../replay/check-upgrade.ts');
  return await withProgress(terminal, 'replaying', async (update) => {
    const checked: CheckedRun[] = [];
    for await (const run of checkUpgrade(runs, options)) {
      checked.push(run);
      update(`replaying: ${counted(checked.length, 'run')} so far`);
    }
    return checked;
  });
}
