/** `everloop replay`: executes a recorded run again, without effects, and compares. */
import { readFile, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { Command } from 'commander';
import { EverloopError } from '../everloop-error.ts';
import type { RecordedRun } from '../replay/recorded-run.ts';
import type { ReplayVerdict } from '../replay/replay.ts';
import { exitCode } from './exit-codes.ts';
import type { Cli } from './program.ts';
import { withProgress } from './progress.ts';
import { writeReplayJson, writeReplayText } from './replay-report.ts';
import type { Terminal } from './terminal.ts';

interface ReplayCommandOptions {
  readonly against?: string;
  readonly full?: boolean;
  readonly json?: boolean;
}

/** Adds the command to the program. */
export function addReplay(root: Command, cli: Cli): void {
  root
    .command('replay')
    .summary('prove that a run replays, and show its state after each iteration')
    .description(
      'Executes a recorded run again with the Workflow code at hand, without effects: no model is asked, no tool runs. Ends with exit code 1 where code and history part.',
    )
    .argument(
      '<run>',
      'id of the run, or a history file: of everloop export, or of temporal workflow show',
    )
    .option('--against <file>', "Workflow code to replay with; this program's when not said")
    .option('--full', 'with --json: each state with its transcript')
    .option('--json', 'one state per line, the verdict last')
    .action((run: string, options: ReplayCommandOptions) => replay(cli, run, options));
}

async function replay(cli: Cli, name: string, options: ReplayCommandOptions): Promise<void> {
  const { terminal } = cli;
  const { against, full = false, json = false } = options;
  const { readBundle } = await import('./read-bundle.ts');
  const bundle = against === undefined ? undefined : await readBundle(terminal, against);
  const isFile = await stat(resolve(terminal.directory, name)).then(
    () => true,
    () => false,
  );
  const recorded = await (isFile ? ofFile(terminal, name) : ofServer(cli, name));
  const { installWorkerRuntime } = await import('./worker-runtime.ts');
  installWorkerRuntime(terminal);
  const { replayRun } = await import('../replay/replay-run.ts');
  const { toReplayOptions } = await import('./replay-options.ts');
  const verdict = await withProgress(terminal, 'replaying', () =>
    replayRun(recorded, toReplayOptions(cli, bundle)).catch((error: unknown) =>
      unreadable(name, isFile, error),
    ),
  );
  if (json) writeReplayJson(terminal, recorded, verdict, full);
  else writeReplayText(terminal, recorded, verdict);
  cli.exitWith(verdict.ok ? exitCode.ok : exitCode.failed);
}

async function ofFile({ directory }: Terminal, file: string): Promise<RecordedRun> {
  const text = await readFile(resolve(directory, file), 'utf8').catch((error: unknown) => {
    throw new EverloopError('invalid_input', `the file ${file} cannot be read`, {
      hint: `check its permissions (${error instanceof Error && 'code' in error ? error.code : error})`,
      cause: error,
    });
  });
  const { fromHistoryFile } = await import('../replay/recorded-run.ts');
  return fromHistoryFile(text, basename(file));
}

async function ofServer(cli: Cli, id: string): Promise<RecordedRun> {
  const { terminal } = cli;
  const config = await cli.config();
  const { anyEngine, hasRuns, withRuns } = await import('./engine.ts');
  if (!(await hasRuns(config))) throw neither(id);
  const engine = await anyEngine(terminal, config, 'replay');
  return await withRuns(config, engine, async ({ everloop }) => {
    try {
      return await everloop.run(id).recorded();
    } catch (error) {
      throw error instanceof EverloopError && error.code === 'not_found' ? neither(id) : error;
    }
  });
}

function neither(name: string): EverloopError {
  return new EverloopError('not_found', `there is neither a run nor a file ${name}`, {
    hint: 'list runs with: everloop ls',
  });
}

/** What a server has was written by it; what a file has, by anyone. */
function unreadable(name: string, isFile: boolean, error: unknown): ReplayVerdict {
  if (!isFile) throw error;
  const why = error instanceof Error ? error.message : String(error);
  throw new EverloopError('invalid_input', `the history in ${name} cannot be read: ${why}`, {
    hint: 'write it again with: everloop export <run> --format history',
    cause: error,
  });
}
